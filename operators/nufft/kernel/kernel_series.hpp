#pragma once

#include <larmor/core/cuda/host_device.hpp>
#include <larmor/core/export.hpp>

#include <cstdint>

namespace LARMOR_API larmor {
namespace nufft {

/// An even function of frequency, |ξ| <= 1/scale, as a Chebyshev series in 2(ξ·scale)² − 1. For both devices.
struct ChebyshevSeries {
  static constexpr int terms = 28;
  int used = terms;  ///< the remaining ones are negligible in double precision
  double scale = 0;
  double coefficient[terms] = {};

  /// Values at several frequencies, on a CPU in vector registers.
  template <int count>
  LARMOR_HOST_DEVICE void evaluate(const double* frequencies, double* values) const {
    double x[count], now[count], before[count];
    for (int i = 0; i < count; ++i) {
      const double ratio = frequencies[i] * scale;
      x[i] = 4 * ratio * ratio - 2;
      now[i] = before[i] = 0;
    }
    for (int k = used - 1; k > 0; --k)  // Clenshaw's recurrence
      for (int i = 0; i < count; ++i) {
        const double next = x[i] * now[i] + (coefficient[k] - before[i]);
        before[i] = now[i];
        now[i] = next;
      }
    for (int i = 0; i < count; ++i) values[i] = 0.5 * x[i] * now[i] + (coefficient[0] - before[i]);
  }
};

/// 1/φ̂ for each pixel of an axis, `step` cycles apart.
template <typename T>
struct InverseTransform {
  static constexpr const char* name = "InverseTransform";
  ChebyshevSeries transform;
  double step;
  std::int64_t centre;  ///< pixel at frequency zero
  T* factors;

  LARMOR_HOST_DEVICE void operator()(std::int64_t pixel) const {
    const double frequency = static_cast<double>(pixel - centre) * step;
    double value;
    transform.evaluate<1>(&frequency, &value);
    factors[pixel] = static_cast<T>(1 / value);
  }
};

}  // namespace nufft
}  // namespace larmor
