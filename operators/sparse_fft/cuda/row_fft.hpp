#pragma once

#include <larmor/core/math/cuda/line_fft.hpp>

#include <complex>
#include <vector>

namespace larmor::sparse_fft::cuda {

/// A transform of rows in shared memory, by decimation in frequency with the radices of line_radices(length).
/// The value at d0 N/R0 + d1 N/(R0 R1) + … lies at d0 steps[0] + d1 steps[1] + …, so that a butterfly's
/// values are one step apart, and threads' values in different banks.
template <typename T>
struct RowFft {
  int length = 1, places = 1;  ///< places: of shared memory
  larmor::cuda::LineRadices radices;
  int steps[larmor::cuda::LineRadices::most] = {};
  /// Per stage but the last, of blocks of L values: [p][j], exp(−2πi 2^p j / L), twiddle_rows(radix) of them.
  const std::complex<T>* twiddles = nullptr;
  /// Per stage: where the values of its butterflies begin. One more for the last stage, [length / last
  /// radix]: butterflies in the order of their frequencies f, f + length / last radix, …
  const int* begin = nullptr;
};
constexpr int twiddle_rows(int radix) {
  int rows = 0;
  while (1 << rows < radix) ++rows;
  return rows;
}
/// A transform and its tables on the CPU; fft's pointers are set by whoever copies them to a device.
template <typename T>
struct RowFftTables {
  RowFft<T> fft;
  std::vector<std::complex<T>> twiddles;
  std::vector<int> begin;
  /// [length / last radix]: butterfly of the last stage that holds frequency f
  std::vector<int> butterfly;
};
/// convolves: for rows with a chirp, whose last stage processes butterflies in any order.
template <typename T>
RowFftTables<T> make_row_fft(int length, bool convolves);

}  // namespace larmor::sparse_fft::cuda
