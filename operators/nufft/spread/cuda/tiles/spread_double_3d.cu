#include <larmor/operators/nufft/spread/cuda/tiles/spread_kernels.cuh>

template void larmor::nufft::cuda::launch_spread<double, 3>(const SpreadLaunch<double>&,
                                                            larmor::cuda::Stream);
