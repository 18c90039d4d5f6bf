#pragma once

// A complex number for code that runs on both devices. Included by CUDA sources.

#include <larmor/core/cuda/host_device.hpp>
#include <larmor/core/export.hpp>

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

template <typename T>
const ComplexValue<T>* complex_values(const std::complex<T>* values) {
  return reinterpret_cast<const ComplexValue<T>*>(values);
}
template <typename T>
ComplexValue<T>* complex_values(std::complex<T>* values) {
  return reinterpret_cast<ComplexValue<T>*>(values);
}

}  // namespace larmor
