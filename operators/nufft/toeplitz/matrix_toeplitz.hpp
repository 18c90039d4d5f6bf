#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <memory>

namespace LARMOR_API larmor {

namespace nufft {
template <typename T>
class MatrixConvolution;
}

/// The normal operator of BasisNufft: a Hermitian L × L matrix of convolutions,
///   y_l = Σ_m q_lm ∗ x_m,  q_lm(Δ) = Σ_j d_j conj(B[j,l]) B[j,m] exp(2πi k_j·Δ) / N,
/// by zero-padded FFTs of the L images of one coil and a matrix product at each frequency (Mani et al. 2015,
/// Tamir et al. 2017). A pair l, m whose products conj(B[j,l]) B[j,m] are real has a real spectrum; others
/// have two, of the real and the imaginary part. domain = codomain [L…, (batch,) (z,) (y,) x].
template <typename T>
class MatrixToeplitz final : public TwoWayOperator<MatrixToeplitz<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// trajectory [samples, dims]; basis [L, samples], already times √d; coefficients: the axes L… of the
  /// domain. tolerance: relative accuracy of each PSF. factor: 1/N for a transform scaled with 1/√N.
  MatrixToeplitz(View<const double> trajectory, View<const Scalar> basis, const Shape& coefficients,
                 const Shape& image_shape, Index batch, double tolerance, double factor, Context& ctx);

  std::string name() const override { return "MatrixToeplitz"; }
  std::size_t scratch_bytes(const Context& ctx) const override;
  std::size_t table_bytes() const override;
  /// Whether all spectra are real.
  bool real() const;

  /// The same for an operator that does not exist yet.
  static std::size_t scratch_bytes(const Shape& image_shape, Index coefficients, Index batch, Context& ctx);
  static std::size_t table_bytes(const Shape& image_shape, Index coefficients, bool complex_basis,
                                 const Context& ctx);

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  template <typename>
  friend class SenseMatrixToeplitz;
  Index coils_ = 1;
  Shape coefficients_;
  std::shared_ptr<const nufft::MatrixConvolution<T>> convolution_;
};

/// Sᴴ Q S for coil maps S, the same for each coefficient image, and a MatrixToeplitz Q over coefficients and
/// coils, a coil at a time. domain = codomain [L…, (z,) y, x].
template <typename T>
class SenseMatrixToeplitz final : public TwoWayOperator<SenseMatrixToeplitz<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Shares the tables of both.
  SenseMatrixToeplitz(const MatrixToeplitz<T>& toeplitz, const CoilMaps<T>& maps);
  std::string name() const override { return "SenseMatrixToeplitz"; }
  std::vector<OperatorPtr<T>> children() const override { return {toeplitz_, maps_}; }
  std::size_t scratch_bytes(const Context& ctx) const override;
  std::size_t table_bytes() const override;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  std::shared_ptr<const MatrixToeplitz<T>> toeplitz_;
  std::shared_ptr<const CoilMaps<T>> maps_;
};

}  // namespace larmor
