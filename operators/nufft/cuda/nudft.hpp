#pragma once

#include <larmor/core/cuda/check.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>

namespace larmor::nufft::cuda {

/// The exact transform between an image and samples, see Nudft. Pixels run from −⌊N/2⌋, x fastest; axes in
/// the order x, y, z, those that the problem lacks have one pixel.
struct ExactTransform {
  int dims;
  std::int64_t image[3];
  std::int64_t samples;
  const double* coordinates;  ///< [samples][dims], cycles per pixel, in device memory
  const double* weights;      ///< [samples] in device memory, or null
};

/// Bytes of device memory that a transform to `targets` samples (or pixels) of `coils` coils needs.
std::size_t nudft_scratch_bytes(std::int64_t targets, std::int64_t coils);

/// out_i = weight_j Σ_x image(x) exp(−2πi k_j·x) with j = list[i], or i when there is no list. Summed in
/// double, the same bits in every run. images [coils][pixels]; out [coils][targets].
template <typename T>
void nudft_forward(const ExactTransform& transform, const std::complex<T>* images, std::int64_t coils,
                   const std::int64_t* list, std::int64_t targets, std::complex<T>* out, void* scratch,
                   larmor::cuda::Stream stream);

/// out_i = Σ_j weight_j samples_j exp(+2πi k_j·x) at pixel x = list[i], or i when there is no list.
/// samples [coils][samples]; out [coils][targets].
template <typename T>
void nudft_adjoint(const ExactTransform& transform, const std::complex<T>* samples, std::int64_t coils,
                   const std::int64_t* list, std::int64_t targets, std::complex<T>* out, void* scratch,
                   larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
