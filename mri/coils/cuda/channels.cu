// Elementwise kernels of channels for CUDA devices.
#include <larmor/core/vectors/cuda/for_each.cuh>
#include <larmor/mri/coils/channel_kernels.hpp>

namespace larmor::cuda {

template void for_each(const MixChannels&, std::int64_t, Stream);
template void for_each(const NormaliseMaps&, std::int64_t, Stream);

}  // namespace larmor::cuda
