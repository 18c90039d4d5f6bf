// Elementwise kernels of density weights for CUDA devices.
#include <larmor/core/vectors/cuda/for_each.cuh>
#include <larmor/mri/density/density_kernels.hpp>

namespace larmor::cuda {

template void for_each(const DivideByConvolved&, std::int64_t, Stream);

}  // namespace larmor::cuda
