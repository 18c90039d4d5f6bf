#include <larmor/operators/nufft/grid/cuda/row_kernels.cuh>

template void larmor::nufft::cuda::rows_forward<float>(const RowPass<float>&, larmor::cuda::Stream);
template void larmor::nufft::cuda::rows_backward<float>(const RowPass<float>&, larmor::cuda::Stream);
