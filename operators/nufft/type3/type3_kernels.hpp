#pragma once

// Per-point computations of the transform from points to points, for both devices. Included by CUDA sources.

#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/operators/nufft/kernel/kernel_series.hpp>

#include <cmath>

namespace larmor::nufft {

/// a·b in cycles, modulo 1, rounded once, so that centres may be far away.
LARMOR_HOST_DEVICE inline double fractional_cycles(double a, double b) {
  constexpr double rounder = 6755399441055744;  // 1.5 · 2^52: adding it rounds to an integer
  const double product = a * b;
  const double whole = std::fabs(product) < 1e15 ? (product + rounder) - rounder : std::rint(product);
  return std::fma(a, b, -whole);
}

/// Position of a point on the grid, in periods, and its factor exp(−2πi k₀·(x − x₀)).
template <typename T>
struct PlacePoint {
  static constexpr const char* name = "PlacePoint";
  int dims;
  const double* points;                                          ///< [n][dims]
  double centre[3], scale[3], middle[3], frequencies_centre[3];  ///< place = (x − x₀) · scale + middle
  double* places;                                                ///< [n][dims]
  ComplexValue<T>* factors;                                      ///< [n] or null

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    double cycles = 0;
    for (int a = 0; a < dims; ++a) {
      const double from_centre = points[i * dims + a] - centre[a];
      places[i * dims + a] = from_centre * scale[a] + middle[a];
      if (factors) cycles += fractional_cycles(frequencies_centre[a], from_centre);
    }
    if (factors) factors[i] = phase_factor<T>(1, cycles);
  }
};

/// Frequencies, `together` at a time, in the transform of the grid, in cycles per cell, and their factors:
/// 1/φ̂, which compensates for the kernel, times exp(−2πi k·x₀) if that is not 1 everywhere.
template <typename T, int together>
struct PlaceFrequencies {
  static constexpr const char* name = "PlaceFrequencies";
  int dims;
  std::int64_t count;
  const double* frequencies;  ///< [count][dims]
  double centre[3], spacing[3], points_centre[3];
  ChebyshevSeries transform;  ///< of the kernel
  double* places;             ///< [count][dims]
  T* sizes;                   ///< [count], or null with
  ComplexValue<T>* factors;   ///< [count]

  LARMOR_HOST_DEVICE void operator()(std::int64_t group) const {
    const std::int64_t first = group * together;
    const int n = static_cast<int>(count - first < together ? count - first : together);
    double size[together], along[together] = {}, value[together];
    for (int i = 0; i < together; ++i) size[i] = 1;
    for (int a = 0; a < dims; ++a) {
      for (int i = 0; i < n; ++i) {
        along[i] = (frequencies[(first + i) * dims + a] - centre[a]) * spacing[a];
        places[(first + i) * dims + a] = along[i];
      }
      transform.evaluate<together>(along, value);
      for (int i = 0; i < n; ++i) size[i] /= value[i];
    }
    for (int i = 0; i < n; ++i) {
      if (!factors) {
        sizes[first + i] = static_cast<T>(size[i]);
        continue;
      }
      double cycles = 0;
      for (int a = 0; a < dims; ++a)
        cycles += fractional_cycles(frequencies[(first + i) * dims + a], points_centre[a]);
      factors[first + i] = phase_factor<T>(size[i], cycles);
    }
  }
};

/// Copies between a grid with the lanes fastest and consecutive images, cell by cell; lanes without an image
/// become zero.
template <typename T>
struct GridToImages {
  static constexpr const char* name = "GridToImages";
  const ComplexValue<T>* grid;
  ComplexValue<T>* images;
  std::int64_t cells, count;
  int lanes;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    for (int lane = 0; lane < count; ++lane) images[lane * cells + i] = grid[i * lanes + lane];
  }
};
template <typename T>
struct ImagesToGrid {
  static constexpr const char* name = "ImagesToGrid";
  const ComplexValue<T>* images;
  ComplexValue<T>* grid;
  std::int64_t cells, count;
  int lanes;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    for (int lane = 0; lane < lanes; ++lane)
      grid[i * lanes + lane] = lane < count ? images[lane * cells + i] : ComplexValue<T>{0, 0};
  }
};

/// The bounding box of points, and the first point with a coordinate that is not finite.
struct CoordinateBox {
  static constexpr std::int64_t none = INT64_MAX;
  double low[3], high[3];  ///< of finite coordinates; low > high if there are none
  std::int64_t not_finite;

  static LARMOR_HOST_DEVICE CoordinateBox empty() {
    constexpr double infinity = __builtin_huge_val();
    return {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}, none};
  }
  LARMOR_HOST_DEVICE void widen(const CoordinateBox& other) {
    for (int a = 0; a < 3; ++a) {
      low[a] = other.low[a] < low[a] ? other.low[a] : low[a];
      high[a] = other.high[a] > high[a] ? other.high[a] : high[a];
    }
    not_finite = other.not_finite < not_finite ? other.not_finite : not_finite;
  }
};

}  // namespace larmor::nufft
