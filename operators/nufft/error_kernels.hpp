#pragma once

#include <larmor/core/cuda/complex_value.hpp>

// Kernels for measuring the error of a transform, for both devices.
namespace larmor::nufft {

/// out[i] = the coordinates of point ⌊{i / φ} count⌋, or of point i if all points are taken. Steps follow the
/// golden ratio because regular ones could hit the same place of every readout.
struct PickPoints {
  static constexpr const char* name = "pick points";
  const double* points;  ///< [count][dims]
  std::int64_t count, taken;
  int dims;
  double* out;  ///< [taken][dims]

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    const double place = static_cast<double>(i) * 0.61803398874989484820;
    const auto at = static_cast<std::int64_t>((place - std::floor(place)) * static_cast<double>(count));
    const std::int64_t point = taken == count ? i : at;
    for (int a = 0; a < dims; ++a) out[i * dims + a] = points[point * dims + a];
  }
};

/// image[pixels[i]] = values[i]
template <typename T>
struct PutPixels {
  static constexpr const char* name = "put pixels";
  const std::int64_t* pixels;
  const ComplexValue<T>* values;
  ComplexValue<T>* image;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const { image[pixels[i]] = values[i]; }
};

}  // namespace larmor::nufft
