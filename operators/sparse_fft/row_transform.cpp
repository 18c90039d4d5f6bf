#include <larmor/core/format_error.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/operators/sparse_fft/column_kernels.hpp>
#include <larmor/operators/sparse_fft/row_transform.hpp>

#include <numbers>

namespace larmor::sparse_fft {
namespace {

std::complex<double> root_of_unity(Index part, Index whole) {
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

bool is_smooth(Index n) {
  for (const Index prime : {2, 3, 5, 7})
    while (n % prime == 0) n /= prime;
  return n == 1;
}

template <typename T>
RowTransform<T> make_row_transform(Index columns, Index length) {
  RowTransform<T> result;
  result.columns = columns;
  result.length = columns;
  if (is_smooth(columns)) return result;
  if (length < 2 * columns - 1)
    throw internal_error("a convolution of length {} is too short for {} columns; expected {}", length,
                         columns, 2 * columns - 1);
  result.length = length;
  result.chirp = Array<std::complex<T>>({columns});
  result.filter = Array<std::complex<T>>({length});
  auto wrapped = filled<std::complex<double>>({length}, 0);
  for (Index k = 0; k < columns; ++k) {
    const auto w = root_of_unity(k * k % (2 * columns), 2 * columns);  // exp(−iπk²/C), exactly reduced
    result.chirp[k] = std::complex<T>(w);
    wrapped[k] = std::conj(w);
    if (k > 0) wrapped[length - k] = std::conj(w);
  }
  Array<std::complex<double>> spectrum({length});
  LineFft<double>(length, 1, FftSign::forward).execute(wrapped.data(), spectrum.data());
  for (Index k = 0; k < length; ++k)
    result.filter[k] = std::complex<T>(spectrum[k] / static_cast<double>(length));
  return result;
}

template <typename T>
Array<T> half_step_table(Index rows) {
  Array<T> factors({rows, 2, half_block});
  for (Index r = 0; r < rows; ++r)
    for (Index j = 0; j < half_block; ++j) {
      const auto w = std::conj(root_of_unity((2 * j + 1) * r % (2 * rows), 2 * rows));
      factors[(r * 2) * half_block + j] = static_cast<T>(w.real());
      factors[(r * 2 + 1) * half_block + j] = static_cast<T>(w.imag());
    }
  return factors;
}

template <typename T>
Array<std::complex<T>> half_phase_table(Index rows) {
  Array<std::complex<T>> factors({2 * rows});
  for (Index m = 0; m < 2 * rows; ++m) factors[m] = std::complex<T>(root_of_unity(m, 2 * rows));
  return factors;
}

#define LARMOR_INSTANTIATE(T)                                   \
  template RowTransform<T> make_row_transform<T>(Index, Index); \
  template Array<T> half_step_table<T>(Index);                  \
  template Array<std::complex<T>> half_phase_table<T>(Index);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::sparse_fft
