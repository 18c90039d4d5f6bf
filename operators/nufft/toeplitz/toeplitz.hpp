#pragma once

#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <memory>

namespace larmor {

namespace nufft {
template <typename T>
class ToeplitzKernel;
}

/// FᴴDF for a non-uniform Fourier transform F and density weights D: convolution with the point-spread
/// function q(Δ) = Σ_j d_j exp(2πi k_j·Δ) / N (Fessler et al. 2005), by zero-padded FFTs. The PSF's entries
/// at index −N are zero, so that its spectrum is real. It is computed in double, on the context's device,
/// where the operator then works. Along axes on which all samples lie at frequencies of the image's discrete
/// Fourier transform the convolution is circular, without padding. If the PSF of a volume is zero except at
/// shift 0 along z, as for a stack whose partitions are complete and have the same samples and weights,
/// slices are convolved one by one with the PSF of a plane (one term only). With a basis B[j, l] of L terms a
/// Hermitian L × L matrix of convolutions,
///   y_l = Σ_m q_lm ∗ x_m,  q_lm(Δ) = Σ_j d_j conj(B[j,l]) B[j,m] exp(2πi k_j·Δ) / N,
/// a matrix product at each frequency (Mani et al. 2015, Tamir et al. 2017). A pair l, m whose products
/// conj(B[j,l]) B[j,m] are real has a real spectrum; others have two, of the real and the imaginary part.
/// domain = codomain [(L…,) (batch,) (z,) (y,) x].
template <typename T>
class Toeplitz final : public TwoWayOperator<Toeplitz<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// density empty: 1. tolerance: relative accuracy of the PSF. scaled: with the factor 1/N of Nufft.
  /// part_of: shape of the images that these are a part of; empty: their own.
  Toeplitz(View<const double> trajectory, View<const double> density, const Shape& image_shape, Index batch,
           double tolerance, bool scaled, Context& ctx, const Shape& part_of = {});
  /// basis [L, samples], already multiplied by √d; terms: the axes L… of the domain. factor: 1/N for a
  /// transform scaled with 1/√N.
  Toeplitz(View<const double> trajectory, View<const Scalar> basis, const Shape& terms,
           const Shape& image_shape, Index batch, double tolerance, double factor, Context& ctx);
  /// The same PSF for another number of coils.
  Toeplitz with_batch(Index batch, const Context& ctx) const;
  /// The same PSF, with the convolution in double precision.
  Toeplitz<double> in_double(const Context& ctx) const;

  std::string name() const override { return "Toeplitz"; }
  std::size_t scratch_bytes(const Context& ctx) const override;
  std::size_t table_bytes() const override;
  /// [(z,) (y,) x]
  const Shape& image() const { return image_; }
  /// True if all spectra are real.
  bool real() const;

  /// Scratch of an operator of this shape that has not been made yet.
  static std::size_t scratch_bytes(const Shape& image_shape, Index batch, const Context& ctx,
                                   Index terms = 1);
  static std::size_t table_bytes(const Shape& image_shape, const Context& ctx, Index terms = 1,
                                 bool complex_basis = false);
  /// Peak memory in bytes while the PSF is computed, excluding the result.
  static std::size_t setup_bytes(const Shape& image_shape, Index samples, double tolerance, Context& ctx);

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  template <typename>
  friend class SenseToeplitz;
  template <typename>
  friend class Toeplitz;
  Toeplitz() = default;
  void set_batch(Index batch);
  // Shape of the images of each term.
  Shape of_terms(const Shape& shape) const;

  Shape image_, terms_;  // terms without axes: one term
  Index batch_ = 0;
  std::shared_ptr<const nufft::ToeplitzKernel<T>> kernel_;
};

/// Sᴴ T S for coil maps S and a Toeplitz operator T over the coils, fused: the maps multiply while lines are
/// padded, and the coil sum is formed while they are cropped. Maps in page-locked host memory are copied to
/// scratch in every apply. On a CPU, T may cover only the bounding box of the maps; nothing is computed or
/// stored outside it. domain = codomain [(L…,) (z,) y, x].
template <typename T>
class SenseToeplitz final : public TwoWayOperator<SenseToeplitz<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Throws Error (internal) if the shapes differ.
  SenseToeplitz(const Toeplitz<T>& toeplitz, const CoilMaps<T>& maps);
  std::string name() const override { return "SenseToeplitz"; }
  std::vector<OperatorPtr<T>> children() const override { return {toeplitz_, maps_}; }
  std::size_t scratch_bytes(const Context& ctx) const override;
  std::size_t table_bytes() const override;
  /// Scratch that these maps need in addition to that of the Toeplitz operator.
  static std::size_t map_scratch_bytes(const CoilMaps<T>& maps, const Context& ctx);

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  static bool copies_maps(const CoilMaps<T>& maps, const Context& ctx) {
    return ctx.on_gpu() && maps.placement() == Placement::host;
  }

  std::shared_ptr<const Toeplitz<T>> toeplitz_;
  std::shared_ptr<const CoilMaps<T>> maps_;
};

}  // namespace larmor
