#pragma once

// A complex number for code that runs on both devices. Included by CUDA sources: no other header of ours.

#include <complex>
#include <cstdint>

#ifdef __CUDACC__
#define LARMOR_HOST_DEVICE __host__ __device__
#else
#define LARMOR_HOST_DEVICE
#endif

namespace larmor {

/// Laid out as std::complex<T>.
template <typename T>
struct Pair {
  T re, im;

  friend LARMOR_HOST_DEVICE Pair operator+(Pair a, Pair b) { return {a.re + b.re, a.im + b.im}; }
  friend LARMOR_HOST_DEVICE Pair operator-(Pair a, Pair b) { return {a.re - b.re, a.im - b.im}; }
  friend LARMOR_HOST_DEVICE Pair operator*(T factor, Pair a) { return {factor * a.re, factor * a.im}; }
};

template <typename T>
LARMOR_HOST_DEVICE Pair<T> product(Pair<T> a, Pair<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <typename T>
const Pair<T>* pairs(const std::complex<T>* values) {
  return reinterpret_cast<const Pair<T>*>(values);
}
template <typename T>
Pair<T>* pairs(std::complex<T>* values) {
  return reinterpret_cast<Pair<T>*>(values);
}

}  // namespace larmor
