#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>
#include <larmor/core/math/sparse_pattern.hpp>

#include <complex>
#include <functional>
#include <memory>

namespace LARMOR_API larmor {

struct SparseFftOptions {
  /// Computes all columns of the spectrum, even if half of them would suffice for real entries.
  bool full = false;
  /// Output rows computed together; 0: chosen. It determines the memory in addition to a stored spectrum.
  Index tile_rows = 0;
  /// Rows that cuFFT transforms together where a row is longer than longest_shared_row; 0: chosen.
  Index batch_rows = 0;
  /// Longest row transform in a GPU's shared memory, if it fits; 0: chosen.
  Index longest_shared_row = 0;
};

/// Rows of a spectrum, in memory of the CPU: rows first_row, first_row + 1, …
template <typename T>
struct SpectrumTile {
  Index first_row;
  View<const std::complex<T>> rows;  ///< [count, width]
};

/// Summary of a spectrum that is not stored. It includes all values, whatever part is stored.
struct SpectrumSummary {
  double origin = 0;                    ///< |F[0][0]|
  double peak = 0;                      ///< largest |F[u][v]| elsewhere; 0 if there are no other values
  Index peak_row = 0, peak_column = 0;  ///< its position; of equal ones the first, row before column
  double energy = 0;                    ///< Σ |F[u][v]|²

  /// Peak side lobe relative to the main one, of a sampling pattern's point spread function.
  double side_lobe() const { return origin > 0 ? peak / origin : 0; }
};

/// The two-dimensional transform of a sparse matrix a of R rows and C columns, unscaled,
///   F[u][v] = Σ a[r][c] exp(−2πi (u r / R + v c / C)),
/// without ever forming the matrix: tiles of rows are summed column by column over the entries, then
/// transformed along rows, by a direct FFT where C is a product of 2, 3, 5 and 7, else by Bluestein's
/// convolution. Entries that are real need half of the rows; the others follow by symmetry. T: float, double.
template <typename T>
class SparseFft {
 public:
  /// Throws Error: input for a pattern that check_pattern() rejects, usage for negative options, resource if
  /// memory is insufficient.
  SparseFft(const SparsePattern& pattern, const SparseFftOptions& options, Context& ctx);

  /// [R, C / 2 + 1] for real entries (the layout of a real-to-complex transform), else [R, C].
  Shape spectrum_shape() const;
  /// The whole spectrum on the context's device.
  Array<std::complex<T>> spectrum(Context& ctx) const;
  void spectrum(View<std::complex<T>> out, Context& ctx) const;
  /// Every row once, in tiles; rows of a tile ascend, the order of tiles is not defined. A tile's memory is
  /// reused after `receive` returns.
  void stream(const std::function<void(const SpectrumTile<T>&)>& receive, Context& ctx) const;
  SpectrumSummary summary(Context& ctx) const;

  /// Entries at distinct places.
  Index entries() const;
  /// Length of the row transforms: C, or that of Bluestein's convolution.
  Index transform_length() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace larmor
