#pragma once

#include <cstdint>

// Loops over small matrices that are compiled for several instruction sets.
namespace larmor {

/// Power iteration on Hermitian matrices of a row of pixels. matrices and vectors as in HermitianRow and
/// dominant_eigenvectors().
struct PowerIteration {
  std::int64_t channels, pixels;
  const float* matrices;
  float *vectors, *eigenvalues;
  float* scratch;   ///< power_iteration_scratch(channels) floats
  float least = 0;  ///< eigenvalues that are certainly below this may be given as 0, with any vector
};

/// Pixels that the widest instructions process together.
inline constexpr std::int64_t most_lanes = 16;
inline constexpr std::int64_t power_iteration_scratch(std::int64_t channels) {
  return most_lanes * (channels * (channels + 1) + 4 * channels);
}

/// result(i, j) += Σ_w a_w(i) conj(a_w(j)) for rows `first` to `last` and columns up to `last`, for vectors
/// a_w of `size` numbers. Sums over all vectors are in single precision, so use few at a time.
struct GramUpdate {
  std::int64_t size, count, first, last;
  /// Real and imaginary parts, [vector][stride]; stride: a multiple of most_lanes; padding beyond `size` may
  /// be any finite value.
  const float *real, *imag;
  std::int64_t stride;
  double* result;  ///< complex, [column][row]
};

/// out_j = Σ_row factor_row x_row(j) for j < count.
struct RowMix {
  std::int64_t rows, count;
  const float* factors;      ///< complex
  const float *real, *imag;  ///< [row][stride]; stride: a multiple of most_lanes, filled with anything finite
  std::int64_t stride;
  float* out;  ///< complex
};

/// Trigonometric polynomials of the pixels of a row: out_e(x) = Σ_d coefficient_e(d) phase_d(x).
struct PhaseSums {
  std::int64_t entries, terms, pixels;
  const float* coefficients;  ///< complex, [entry][term]
  const float *real, *imag;   ///< of the phases, [term][stride]; stride as in RowMix
  std::int64_t stride;
  float* out;  ///< for each entry `pixels` real parts, then imaginary parts, as in HermitianRow
};

/// With the best instructions of this processor.
void run(const PowerIteration& task);
void run(const PhaseSums& task);
void run(const GramUpdate& task);
void run(const RowMix& task);

}  // namespace larmor
