#pragma once

// A complex number for code on both devices. Included by CUDA sources.

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

/// The same for standard numbers, without their special cases for infinity.
template <typename T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
/// conj(a) · b
template <typename T>
std::complex<T> conjugate_product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() + a.imag() * b.imag(), a.real() * b.imag() - a.imag() * b.real()};
}

/// size · exp(−2πi cycles)
template <typename T>
LARMOR_HOST_DEVICE ComplexValue<T> phase_factor(double size, double cycles) {
#ifdef __CUDA_ARCH__
  double sine, cosine;
  sincospi(-2 * cycles, &sine, &cosine);
#else
  const double angle = -6.283185307179586477 * cycles, sine = std::sin(angle), cosine = std::cos(angle);
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
