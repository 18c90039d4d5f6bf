#include <larmor/operators/nufft/grid/cuda/convolve_kernels.cuh>

template void larmor::nufft::cuda::lines_convolve<float>(const LinePass<float>&, larmor::cuda::Stream);
