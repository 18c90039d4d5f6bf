#include <larmor/operators/nufft/grid/cuda/row_kernels.cuh>

namespace larmor::nufft::cuda {

template void rows_forward<float>(const RowPass<float>&, larmor::cuda::Stream);
template void rows_backward<float>(const RowPass<float>&, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
