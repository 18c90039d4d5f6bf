#include <larmor/operators/nufft/grid/cuda/row_kernels.cuh>

template void larmor::nufft::cuda::rows_forward<double>(const RowPass<double>&, larmor::cuda::Stream);
template void larmor::nufft::cuda::rows_backward<double>(const RowPass<double>&, larmor::cuda::Stream);
