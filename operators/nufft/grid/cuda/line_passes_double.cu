#include <larmor/operators/nufft/grid/cuda/line_kernels.cuh>

namespace larmor::nufft::cuda {

template void lines_forward<double>(const LinePass<double>&, larmor::cuda::Stream);
template void lines_backward<double>(const LinePass<double>&, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
