#include <larmor/core/vectors/cuda/for_each.cuh>
#include <larmor/operators/nufft/kernel/kernel_series.hpp>

namespace larmor::cuda {

template void for_each(const nufft::InverseTransform<float>&, std::int64_t, Stream);
template void for_each(const nufft::InverseTransform<double>&, std::int64_t, Stream);

}  // namespace larmor::cuda
