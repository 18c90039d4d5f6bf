#include <larmor/operators/nufft/grid/cuda/convolve_kernels.cuh>

template void larmor::nufft::cuda::lines_convolve<double>(const LinePass<double>&, larmor::cuda::Stream);
