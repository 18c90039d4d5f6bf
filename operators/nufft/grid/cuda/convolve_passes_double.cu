#include <larmor/operators/nufft/grid/cuda/convolve_kernels.cuh>

namespace larmor::nufft::cuda {

template void lines_convolve<double>(const LinePass<double>&, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
