#pragma once

#include <larmor/core/cuda/check.hpp>

#include <complex>
#include <cstdint>

namespace larmor::cuda {

/// Windows [channels, kernel] in k-space [channels, region]; extents z, y, x.
struct Windows {
  std::int64_t channels;
  std::int64_t region[3], kernel[3];
};

// Matrices are [n, n], row by row, in device memory.

/// gram[i, j] = Σ_w a_i(w) conj(a_j(w)) over all places w of the windows, n = channels · kernel points.
void window_gram(const Windows& windows, const std::complex<float>* kspace, std::complex<double>* gram,
                 Stream stream);
/// product = factor · a b + diagonal · 1 for a Hermitian `a`
void multiply(std::int64_t n, double factor, const std::complex<double>* a, const std::complex<double>* b,
              double diagonal, std::complex<double>* product, Stream stream);
/// product = a vector
void multiply_vector(std::int64_t n, const std::complex<double>* a, const std::complex<double>* vector,
                     std::complex<double>* product, Stream stream);
/// a += value · 1
void add_diagonal(std::int64_t n, double value, std::complex<double>* a, Stream stream);
/// values[i] = a[i, i]
void diagonal(std::int64_t n, const std::complex<double>* a, std::complex<double>* values, Stream stream);

}  // namespace larmor::cuda
