#pragma once

#include <larmor/core/fft.hpp>
#include <larmor/operators/nufft/cuda/matrix_convolution.hpp>
#include <larmor/operators/nufft/toeplitz_kernel.hpp>

namespace larmor::nufft {

/// Convolution of images with a Hermitian matrix of PSFs, on one device. All images of some coils go through
/// a padded grid at a time.
template <typename T>
class MatrixConvolution {
 public:
  using C = std::complex<T>;
  /// spectra [pairs.count()][z][y][x]: frequencies of the padded axes, x fastest, times 1/Πpadded; on the
  /// context's device.
  MatrixConvolution(const Shape& image, Index coils, const HermitianPairs& pairs, Array<T> spectra,
                    const Context& ctx);

  /// y[l][c] (+)= Σ_m q_lm ∗ x[m][c] for images [l][c][pixels]
  void convolve(const C* x, C* y, bool accumulate, Context& ctx) const {
    run(x, nullptr, y, accumulate, ctx);
  }
  /// y[l] (+)= Σ_c conj(maps[c]) Σ_m q_lm ∗ (maps[c] x[m]) for images [l][pixels] and maps [c][pixels]
  void sense(const C* x, const C* maps, C* y, bool accumulate, Context& ctx) const {
    run(x, maps, y, accumulate, ctx);
  }

  const HermitianPairs& pairs() const { return pairs_; }
  std::size_t scratch_bytes(const Context& ctx) const;
  std::size_t table_bytes() const { return spectra_.view().bytes(); }
  static std::size_t scratch_bytes(const Shape& image, Index terms, Index coils, const Context& ctx);

 private:
  void run(const C* x, const C* maps, C* y, bool accumulate, Context& ctx) const;

  MatrixGrid grid_;
  HermitianPairs pairs_;
  FftPlan<T> transform_;
  Array<T> spectra_;
};

/// Whether conj(b_l) b_m is real, but for rounding, at each sample for all pairs of a basis b [L][samples] in
/// host memory: then so are all spectra.
template <typename T>
bool has_real_products(View<const std::complex<T>> basis);

/// The spectra that MatrixConvolution takes, of the PSFs factor · Σ_j conj(b_lj) b_mj exp(2πi k_j·Δ) for a
/// basis b [L][samples]. Trajectory and basis are on the context's device.
template <typename T>
struct MatrixSpectra {
  HermitianPairs pairs;
  Array<T> values;
};
template <typename T>
MatrixSpectra<T> matrix_spectra(View<const double> trajectory, View<const std::complex<T>> basis,
                                const Shape& image, double tolerance, double factor, Context& ctx);

}  // namespace larmor::nufft
