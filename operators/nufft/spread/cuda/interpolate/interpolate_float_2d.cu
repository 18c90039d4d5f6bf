#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate_launch.cuh>

namespace larmor::nufft::cuda {

template void interpolate_lanes<float, 2, 1>(const InterpolateTask<float>&, const InterpolateTuning&,
                                             larmor::cuda::Stream);
template void interpolate_lanes<float, 2, 2>(const InterpolateTask<float>&, const InterpolateTuning&,
                                             larmor::cuda::Stream);
template void interpolate_lanes<float, 2, 4>(const InterpolateTask<float>&, const InterpolateTuning&,
                                             larmor::cuda::Stream);
template void interpolate_lanes<float, 2, 8>(const InterpolateTask<float>&, const InterpolateTuning&,
                                             larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
