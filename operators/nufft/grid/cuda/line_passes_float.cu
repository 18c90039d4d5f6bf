#include <larmor/operators/nufft/grid/cuda/line_kernels.cuh>

template void larmor::nufft::cuda::lines_forward<float>(const LinePass<float>&, larmor::cuda::Stream);
template void larmor::nufft::cuda::lines_backward<float>(const LinePass<float>&, larmor::cuda::Stream);
