#pragma once

#include <larmor/core/array.hpp>

#include <complex>

namespace larmor::sparse_fft {

/// True if n is a product of 2, 3, 5 and 7.
bool is_smooth(Index n);

/// Tables of a transform of rows of any number of columns C, on the CPU. A smooth C is transformed as it is;
/// else as a circular convolution with a chirp (L. I. Bluestein, 1970), by v c = (v² + c² − (v − c)²) / 2:
///   F[v] = w[v] Σ_c w[c] f[c] conj(w[v − c]),  w[k] = exp(−iπ k² / C),
/// at a smooth length >= 2C − 1.
template <typename T>
struct RowTransform {
  Index columns = 1, length = 1;  ///< C; length of the transforms
  Array<std::complex<T>> chirp;   ///< [C]: w; empty where C is transformed directly
  Array<std::complex<T>> filter;  ///< [length]: transform of conj(w), over length; empty likewise

  bool direct() const { return filter.empty(); }
};
/// length: of Bluestein's convolution; ignored for smooth C.
template <typename T>
RowTransform<T> make_row_transform(Index columns, Index length);

/// cos (j + ½)θ_r and sin (j + ½)θ_r, θ_r = 2πr / rows, as [rows][cosines then sines][half_block]; see
/// BlockSums.
template <typename T>
Array<T> half_step_table(Index rows);
/// exp(−2πi m / (2 rows)), m = 0 … 2 rows − 1.
template <typename T>
Array<std::complex<T>> half_phase_table(Index rows);

}  // namespace larmor::sparse_fft
