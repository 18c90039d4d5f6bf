#include <larmor/operators/nufft/spread/cuda/tiles/spread_kernels.cuh>

template void larmor::nufft::cuda::launch_spread<float, 3>(const SpreadLaunch<float>&, larmor::cuda::Stream);
