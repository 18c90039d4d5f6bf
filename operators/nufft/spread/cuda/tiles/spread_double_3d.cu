#include <larmor/operators/nufft/spread/cuda/tiles/spread_kernels.cuh>

namespace larmor::nufft::cuda {

template void launch_spread<double, 3>(const SpreadLaunch<double>&, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
