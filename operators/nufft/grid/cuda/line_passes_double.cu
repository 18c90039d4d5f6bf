#include <larmor/operators/nufft/grid/cuda/line_kernels.cuh>

template void larmor::nufft::cuda::lines_forward<double>(const LinePass<double>&, larmor::cuda::Stream);
template void larmor::nufft::cuda::lines_backward<double>(const LinePass<double>&, larmor::cuda::Stream);
