#pragma once

#include <complex>
#include <cstddef>

namespace larmor::cuda {

/// Lines of up to this many values are transformed in shared memory by the library's own kernels.
inline constexpr int longest_line = 8192;

/// Radices of a transform, in the order in which the forward transform uses them.
struct LineRadices {
  static constexpr int most = 8;
  int stages = 0;
  int radix[most] = {};
};

/// Lengths with kernels compiled for them, as X(R1, R2, R3, threads per block): the length is R1·R2·R3. The
/// first radix is a multiple of 4 so that padding costs no arithmetic; a last radix of 8 lets threads keep
/// the twiddles of the middle stage.
#define LARMOR_FIXED_LINES(X) \
  X(8, 8, 1, 64)              \
  X(8, 10, 1, 64)             \
  X(8, 12, 1, 64)             \
  X(8, 16, 1, 128)            \
  X(16, 10, 1, 128)           \
  X(12, 16, 1, 128)           \
  X(16, 14, 1, 128)           \
  X(16, 16, 1, 128)           \
  X(16, 18, 1, 128)           \
  X(20, 16, 1, 160)           \
  X(20, 18, 1, 160)           \
  X(8, 6, 8, 256)             \
  X(20, 20, 1, 160)           \
  X(8, 6, 9, 256)             \
  X(12, 5, 8, 256)            \
  X(8, 8, 8, 256)             \
  X(8, 9, 8, 384)             \
  X(8, 10, 8, 512)            \
  X(8, 9, 10, 384)            \
  X(8, 12, 8, 512)            \
  X(12, 9, 8, 384)            \
  X(12, 10, 8, 768)           \
  X(16, 8, 8, 512)            \
  X(16, 9, 8, 512)            \
  X(16, 10, 8, 512)           \
  X(16, 9, 10, 512)           \
  X(16, 10, 10, 512)          \
  X(16, 14, 8, 512)           \
  X(16, 16, 8, 512)           \
  X(16, 16, 10, 512)          \
  X(16, 16, 12, 512)          \
  X(16, 16, 16, 512)

/// True if a length has kernels of its own, which are faster.
bool is_fixed_line(int n);
/// Radices of a line of this length: 1 and products of 2, 3, 5 and 7 up to longest_line.
LineRadices line_radices(int n);
/// A length >= n with a fast transform: even, with prime factors 2, 3, 5 and 7, at most an eighth longer than
/// n, or 32 for small n. 1 for n <= 1. Lengths beyond longest_line are meant for cuFFT. The table is computed
/// once per process, because every plan needs many lengths.
int fast_line_length(int n);

/// Inputs of a line that can be nonzero: all, the first half, or the first and last quarter.
enum class Live { all, first_half, outer_quarters };

/// A line transform for kernels; passed by value.
template <typename T>
struct LineFft {
  int length = 1;
  LineRadices radices;
  const std::complex<T>* twiddles = nullptr;  ///< per stage but the last: [j][k], exp(−2πi j k / L)
  const int* position = nullptr;              ///< [length]: position of a frequency after the forward stages
};
/// Tables of a length (up to longest_line): their size, their contents for copying to device memory, and the
/// transform that uses them there.
template <typename T>
std::size_t line_table_bytes(int n);
template <typename T>
void fill_line_tables(int n, void* tables);
template <typename T>
LineFft<T> line_fft(int n, const void* device_tables);

}  // namespace larmor::cuda
