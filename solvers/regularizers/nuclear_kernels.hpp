#pragma once

#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/core/export.hpp>

#include <cmath>

namespace LARMOR_API larmor {

// Elementwise kernels of the nuclear norm of many matrices [count, rows, columns], for both devices. The
// singular values come from the Gram matrix of the shorter side, in double.

struct MatrixBatch {
  std::int64_t count, rows, columns;

  LARMOR_HOST_DEVICE bool wide() const { return rows <= columns; }
  /// Length of the shorter side, which is the size of the Gram matrix; and of the other.
  LARMOR_HOST_DEVICE std::int64_t rank() const { return wide() ? rows : columns; }
  LARMOR_HOST_DEVICE std::int64_t length() const { return wide() ? columns : rows; }
};

/// Parts of G = M Mᴴ (wide matrices) or Mᴴ M over `chunk` terms each: out [count, chunks, rank, rank].
/// Rows: (matrix, chunk, a).
template <typename T>
struct GramParts {
  static constexpr const char* name = "Gram matrices";
  MatrixBatch batch;
  std::int64_t chunk, chunks;
  const ComplexValue<T>* matrices;
  ComplexValue<double>* out;

  struct Line {
    const ComplexValue<T>* matrix;
    ComplexValue<double>* gram;
    std::int64_t a, rank, first, last, across, along;
    double sign;  ///< of the imaginary part: Mᴴ M conjugates the other factor
    LARMOR_HOST_DEVICE void operator()(std::int64_t b) const {
      if (b > a) return;
      double re = 0, im = 0;
      for (std::int64_t i = first; i < last; ++i) {
        const ComplexValue<T> x = matrix[a * across + i * along], y = matrix[b * across + i * along];
        const double xr = x.re, xi = x.im, yr = y.re, yi = y.im;
        re += xr * yr + xi * yi;
        im += xi * yr - xr * yi;
      }
      im *= sign;
      gram[a * rank + b] = {re, a == b ? 0 : im};
      if (a != b) gram[b * rank + a] = {re, -im};
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    const std::int64_t rank = batch.rank(), a = row % rank, part = row / rank % chunks;
    const std::int64_t first = part * chunk, end = first + chunk, length = batch.length();
    return {matrices + row / (rank * chunks) * batch.rows * batch.columns,
            out + row / rank * rank * rank,
            a,
            rank,
            first,
            end < length ? end : length,
            batch.wide() ? batch.columns : 1,
            batch.wide() ? 1 : batch.columns,
            batch.wide() ? 1.0 : -1.0};
  }
};

/// Sums [count, chunks, size] over the chunks, in their order. i: (matrix, element).
struct SumChunks {
  static constexpr const char* name = "sum of Gram matrices";
  std::int64_t chunks, size;
  const ComplexValue<double>* parts;
  ComplexValue<double>* out;
  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    const ComplexValue<double>* first = parts + i / size * chunks * size + i % size;
    ComplexValue<double> sum{0, 0};
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) sum = sum + first[chunk * size];
    out[i] = sum;
  }
};

/// √σ from the eigenvalues σ² of Gram matrices: the sum of squares of `out` is the nuclear norm.
struct RootsOfSingularValues {
  static constexpr const char* name = "singular values";
  const double* eigenvalues;
  ComplexValue<double>* out;
  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    out[i] = {eigenvalues[i] > 0 ? std::sqrt(std::sqrt(eigenvalues[i])) : 0.0, 0};
  }
};

/// Σ_k max(1 − threshold/σ_k, 0) v_k v_kᴴ of every Gram matrix. Rows: (matrix, a).
template <typename T>
struct ShrinkingMatrices {
  static constexpr const char* name = "matrices that shrink singular values";
  std::int64_t rank;
  double threshold;
  const double* eigenvalues;
  const ComplexValue<double>* vectors;
  ComplexValue<T>* out;

  struct Line {
    const ShrinkingMatrices* body;
    std::int64_t matrix, a;
    LARMOR_HOST_DEVICE void operator()(std::int64_t b) const {
      const std::int64_t n = body->rank;
      const ComplexValue<double>* v = body->vectors + matrix * n * n;
      double re = 0, im = 0;
      for (std::int64_t k = 0; k < n; ++k) {
        const double square = body->eigenvalues[matrix * n + k];
        if (!(square > body->threshold * body->threshold)) continue;
        const double factor = 1 - body->threshold / std::sqrt(square);
        const ComplexValue<double> x = v[k * n + a], y = v[k * n + b];
        re += factor * (x.re * y.re + x.im * y.im);
        im += factor * (x.im * y.re - x.re * y.im);
      }
      body->out[(matrix * n + a) * n + b] = {static_cast<T>(re), static_cast<T>(im)};
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const { return {this, row / rank, row % rank}; }
};

/// out = Q M for wide matrices, M Q for others. Rows: (matrix, row).
template <typename T>
struct MultiplyMatrices {
  static constexpr const char* name = "products of matrices";
  MatrixBatch batch;
  const ComplexValue<T>* square;  ///< Q
  const ComplexValue<T>* matrices;
  ComplexValue<T>* out;

  struct Line {
    const ComplexValue<T>*left, *right;
    ComplexValue<T>* out;
    std::int64_t terms, columns;
    LARMOR_HOST_DEVICE void operator()(std::int64_t column) const {
      ComplexValue<T> sum{0, 0};
      for (std::int64_t k = 0; k < terms; ++k) sum = sum + product(left[k], right[k * columns + column]);
      out[column] = sum;
    }
    void run(std::int64_t first, std::int64_t last) const {
      for (std::int64_t column = first; column < last; ++column) out[column] = {0, 0};
      for (std::int64_t k = 0; k < terms; ++k) {
        const ComplexValue<T>* row = right + k * columns;
        for (std::int64_t column = first; column < last; ++column)
          out[column] = out[column] + product(left[k], row[column]);
      }
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    const std::int64_t matrix = row / batch.rows, rank = batch.rank();
    const ComplexValue<T>* q = square + matrix * rank * rank;
    const ComplexValue<T>* m = matrices + matrix * batch.rows * batch.columns;
    const std::int64_t at = row % batch.rows;
    return {batch.wide() ? q + at * rank : m + at * batch.columns, batch.wide() ? m : q,
            out + row * batch.columns, rank, batch.columns};
  }
};

}  // namespace larmor
