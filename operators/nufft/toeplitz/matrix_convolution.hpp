#pragma once

#include <larmor/operators/nufft/toeplitz/cuda/matrix_convolution.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>

namespace larmor::nufft {

/// The spectra of a Hermitian matrix of PSFs, [pairs.count()][frequencies] times 1/Πpadded, on one device. On
/// a CPU each is in the order of ToeplitzSpectra, the outermost axis fastest; on a GPU in that of the grid,
/// x fastest.
template <typename T>
struct MatrixSpectra {
  HermitianPairs pairs;
  Array<T> values;
};

/// Convolution of images with a Hermitian matrix of PSFs, on one device.
template <typename T>
class MatrixConvolution {
 public:
  using C = std::complex<T>;
  explicit MatrixConvolution(MatrixSpectra<T> spectra) : spectra_(std::move(spectra)) {}
  virtual ~MatrixConvolution() = default;

  /// y[l][c] (+)= Σ_m q_lm ∗ x[m][c] for images [l][c][pixels]
  void convolve(const C* x, C* y, bool accumulate, Context& ctx) const {
    run(x, nullptr, y, accumulate, ctx);
  }
  /// y[l] (+)= Σ_c conj(maps[c]) Σ_m q_lm ∗ (maps[c] x[m]) for images [l][pixels] and maps [c][pixels]
  void sense(const C* x, const C* maps, C* y, bool accumulate, Context& ctx) const {
    run(x, maps, y, accumulate, ctx);
  }

  const HermitianPairs& pairs() const { return spectra_.pairs; }
  virtual std::size_t scratch_bytes(const Context& ctx) const = 0;
  std::size_t table_bytes() const { return spectra_.values.view().bytes(); }

 protected:
  const T* spectra() const { return spectra_.values.data(); }
  virtual void run(const C* x, const C* maps, C* y, bool accumulate, Context& ctx) const = 0;

 private:
  MatrixSpectra<T> spectra_;
};

/// For the context's device, where the spectra are.
template <typename T>
std::shared_ptr<const MatrixConvolution<T>> make_matrix_convolution(const Shape& image, Index coils,
                                                                    MatrixSpectra<T> spectra,
                                                                    const Context& ctx);
/// Scratch of one that does not exist yet.
template <typename T>
std::size_t matrix_convolution_scratch_bytes(const Shape& image, Index terms, Index coils,
                                             const Context& ctx);

/// Whether conj(b_l) b_m is real, but for rounding, at each sample for all pairs of a basis b [L][samples] in
/// host memory: then so are all spectra.
template <typename T>
bool has_real_products(View<const std::complex<T>> basis);

/// The spectra of the PSFs factor · Σ_j conj(b_lj) b_mj exp(2πi k_j·Δ) for a basis b [L][samples]. Trajectory
/// and basis are on the context's device.
template <typename T>
MatrixSpectra<T> matrix_spectra(View<const double> trajectory, View<const std::complex<T>> basis,
                                const Shape& image, double tolerance, double factor, Context& ctx);

}  // namespace larmor::nufft
