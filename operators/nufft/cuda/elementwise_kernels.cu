// Elementwise kernels of the non-uniform transforms for CUDA devices.
#include <larmor/core/vectors/cuda/for_each.cuh>
#include <larmor/operators/nufft/basis_kernels.hpp>
#include <larmor/operators/nufft/error_kernels.hpp>
#include <larmor/operators/nufft/kernel/kernel_series.hpp>
#include <larmor/operators/nufft/toeplitz/psf_kernels.hpp>
#include <larmor/operators/nufft/transform_kernels.hpp>
#include <larmor/operators/nufft/type3/type3_kernels.hpp>

namespace larmor::cuda {

#define LARMOR_INSTANTIATE(T)                                                                       \
  template void for_each(const nufft::InverseTransform<T>&, std::int64_t, Stream);                  \
  template void for_each(const nufft::RealParts<T, T>&, std::int64_t, Stream);                      \
  template void for_each(const nufft::ModulateWeights<T>&, std::int64_t, Stream);                   \
  template void for_each(const nufft::HermitianLines<T>&, std::int64_t, Stream);                    \
  template void for_each(const nufft::SumLines<T>&, std::int64_t, Stream);                          \
  template void for_each_in_rows(const nufft::PlaceShifts<T>&, std::int64_t, std::int64_t, Stream); \
  template void for_each(const nufft::PlacePoint<T>&, std::int64_t, Stream);                        \
  template void for_each(const nufft::PutPixels<T>&, std::int64_t, Stream);                         \
  template void for_each(const nufft::PlaceFrequencies<T, 1>&, std::int64_t, Stream);               \
  template void for_each(const nufft::GridToImages<T>&, std::int64_t, Stream);                      \
  template void for_each(const nufft::ImagesToGrid<T>&, std::int64_t, Stream);                      \
  template void for_each_in_rows(const nufft::CombineRows<T>&, std::int64_t, std::int64_t, Stream); \
  template void for_each_in_rows(const nufft::SpreadRows<T>&, std::int64_t, std::int64_t, Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

template void for_each(const nufft::RealParts<double, float>&, std::int64_t, Stream);
template void for_each(const nufft::PickPoints&, std::int64_t, Stream);
template void for_each(const nufft::Opposite&, std::int64_t, Stream);

}  // namespace larmor::cuda
