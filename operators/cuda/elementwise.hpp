#pragma once

#include <larmor/core/cuda/check.hpp>

#include <complex>
#include <cstdint>

namespace larmor::cuda {

// What small operators do to each element, on device memory. With `accumulate` results are added.

/// y_i = w_i x_i, or conj(w_i) x_i
template <typename T>
void multiply(const std::complex<T>* w, const std::complex<T>* x, std::complex<T>* y, std::int64_t n,
              bool conjugate, bool accumulate, Stream stream);
/// y[b][i] = w_i y[b][i] for `batch` rows of n; w real
template <typename T>
void scale_rows(const T* w, std::complex<T>* y, std::int64_t n, std::int64_t batch, Stream stream);
/// y[c] = m[c] x for maps [coils][pixels]
template <typename T>
void coil_multiply(const std::complex<T>* maps, const std::complex<T>* x, std::complex<T>* y,
                   std::int64_t pixels, std::int64_t coils, bool accumulate, Stream stream);
/// x = Σ_c conj(m[c]) y[c]
template <typename T>
void coil_combine(const std::complex<T>* maps, const std::complex<T>* y, std::complex<T>* x,
                  std::int64_t pixels, std::int64_t coils, bool accumulate, Stream stream);

/// out(i) = factor · in(i + shift) for every index i of an array of shape `out`; outside of `in` zero, or
/// with `wrap` modulo its extents. Axes slowest first.
struct Shifted {
  int rank;
  std::int64_t out[8], in[8], shift[8];
  bool wrap;
};
template <typename T>
void shifted_copy(const Shifted& map, const std::complex<T>* in, std::complex<T>* out, double factor,
                  bool accumulate, Stream stream);

}  // namespace larmor::cuda
