#pragma once

// A complex number for code that runs on both devices. Included by CUDA sources.

#include <larmor/core/cuda/host_device.hpp>
#include <larmor/core/export.hpp>

#include <cmath>
#include <complex>
#include <cstdint>

namespace LARMOR_API larmor {

/// Laid out as std::complex<T>.
template <typename T>
struct ComplexValue {
  T re, im;

  /// Element-wise sums, and products with real factors.
  friend LARMOR_HOST_DEVICE ComplexValue operator+(ComplexValue a, ComplexValue b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend LARMOR_HOST_DEVICE ComplexValue operator-(ComplexValue a, ComplexValue b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend LARMOR_HOST_DEVICE ComplexValue operator*(T factor, ComplexValue a) {
    return {factor * a.re, factor * a.im};
  }
};

template <typename T>
LARMOR_HOST_DEVICE ComplexValue<T> product(ComplexValue<T> a, ComplexValue<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// conj(a) · b
template <typename T>
LARMOR_HOST_DEVICE ComplexValue<T> conjugate_product(ComplexValue<T> a, ComplexValue<T> b) {
  return {a.re * b.re + a.im * b.im, a.re * b.im - a.im * b.re};
}

/// The same of standard numbers, without their care for infinite ones.
template <typename T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
/// conj(a) · b
template <typename T>
std::complex<T> conjugate_product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() + a.imag() * b.imag(), a.real() * b.imag() - a.imag() * b.real()};
}

/// exp(−2πi cycles) to 1e-9 on a processor, for up to 2⁵¹ cycles: Taylor's series of half a quarter of a turn
/// either way, without calls and branches.
inline ComplexValue<double> short_phase_factor(double cycles) {
  constexpr double shift = 6755399441055744.0;  // 1.5 · 2⁵²: rounds to the nearest whole number
  const double quarters = 4 * (cycles - ((cycles + shift) - shift)), whole = (quarters + shift) - shift;
  const double r = (quarters - whole) * 1.570796326794896619, square = r * r;
  const double sine =
      r * (1 + square * (-1.0 / 6 + square * (1.0 / 120 + square * (-1.0 / 5040 + square / 362880))));
  const double cosine =
      1 + square * (-0.5 +
                    square * (1.0 / 24 + square * (-1.0 / 720 + square * (1.0 / 40320 - square / 3628800))));
  const bool odd = whole * whole == 1;
  const double sign = 1 - 0.5 * whole * whole;  // whole is −2 … 2
  return {odd ? -whole * sine : sign * cosine, odd ? -whole * cosine : -sign * sine};
}

/// size · exp(−2πi cycles)
template <typename T>
LARMOR_HOST_DEVICE ComplexValue<T> phase_factor(double size, double cycles) {
#ifdef __CUDA_ARCH__
  double sine, cosine;
  sincospi(-2 * cycles, &sine, &cosine);
#else
  double sine, cosine;
  if constexpr (sizeof(T) == sizeof(float)) {
    const ComplexValue<double> value = short_phase_factor(cycles);
    cosine = value.re, sine = value.im;
  } else {
    const double angle = -6.283185307179586477 * cycles;
    sine = std::sin(angle), cosine = std::cos(angle);
  }
#endif
  return {static_cast<T>(size * cosine), static_cast<T>(size * sine)};
}

/// out = value, or += value
template <typename T>
LARMOR_HOST_DEVICE void put(ComplexValue<T>& out, ComplexValue<T> value, bool accumulate) {
  out = accumulate ? out + value : value;
}

template <typename T>
const ComplexValue<T>* complex_values(const std::complex<T>* values) {
  return reinterpret_cast<const ComplexValue<T>*>(values);
}
template <typename T>
ComplexValue<T>* complex_values(std::complex<T>* values) {
  return reinterpret_cast<ComplexValue<T>*>(values);
}

}  // namespace larmor
