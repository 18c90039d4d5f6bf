#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate_launch.cuh>

template void larmor::nufft::cuda::launch_interpolation<float, 2>(const InterpolateTask<float>&, int,
                                                                  const InterpolateTuning&,
                                                                  larmor::cuda::Stream);
