#include <larmor/operators/nufft/grid/cuda/convolve_kernels.cuh>

namespace larmor::nufft::cuda {

template void lines_convolve<float>(const LinePass<float>&, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
