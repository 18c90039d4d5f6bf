#include <larmor/operators/nufft/spread/cuda/tiles/spread_kernels.cuh>

namespace larmor::nufft::cuda {

template void launch_spread<float, 1>(const SpreadLaunch<float>&, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
