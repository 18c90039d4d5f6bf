#include <larmor/operators/nufft/grid/cuda/line_kernels.cuh>

namespace larmor::nufft::cuda {

template void lines_forward<float>(const LinePass<float>&, larmor::cuda::Stream);
template void lines_backward<float>(const LinePass<float>&, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
