#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate_launch.cuh>

template void larmor::nufft::cuda::launch_interpolation<double, 2>(const InterpolateTask<double>&, int,
                                                                   const InterpolateTuning&,
                                                                   larmor::cuda::Stream);
