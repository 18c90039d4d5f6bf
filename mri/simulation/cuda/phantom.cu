// Elementwise kernels of phantoms for CUDA devices.
#include <larmor/core/vectors/cuda/for_each.cuh>
#include <larmor/mri/simulation/phantom_kernels.hpp>

namespace larmor::cuda {

template void for_each(const PhantomSpectrum&, std::int64_t, Stream);
template void for_each(const AddToCoils&, std::int64_t, Stream);
template void for_each(const AddToTruth&, std::int64_t, Stream);
template void for_each_in_rows(const PhantomMaps&, std::int64_t, std::int64_t, Stream);

}  // namespace larmor::cuda
