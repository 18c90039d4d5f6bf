#include <larmor/operators/nufft/grid/cuda/row_kernels.cuh>

namespace larmor::nufft::cuda {

template void rows_forward<double>(const RowPass<double>&, larmor::cuda::Stream);
template void rows_backward<double>(const RowPass<double>&, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
