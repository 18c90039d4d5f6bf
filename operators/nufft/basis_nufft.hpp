#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <memory>

namespace LARMOR_API larmor {

/// Non-uniform Fourier transform of several coefficient images whose mixture varies from sample to sample:
/// s_j = √d_j / √N Σ_l B[j,l] Σ_x ρ_l(x) exp(−2πi k_j·x), conventions as in Nufft. The rows of B are the
/// temporal basis of a subspace model (Tamir et al. 2017), the interpolators of a time-segmented field map
/// (Sutton et al. 2003), or products of both. domain [L…, (batch,) (z,) (y,) x], codomain [(batch,) samples];
/// L… are the axes of the basis after its first.
template <typename T>
class BasisNufft final : public TwoWayOperator<BasisNufft<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// trajectory [samples, dims]; density [samples] or empty (1); basis [samples, L…], in host memory, the
  /// product of L… at most most_coefficients. Throws Error: usage and input as Nufft, input for entries of
  /// the basis that are not finite. The method of the options is always gridding.
  BasisNufft(View<const double> trajectory, View<const double> density,
             View<const std::complex<double>> basis, const Shape& image_shape, const NufftOptions& options,
             Context& ctx);

  /// Maximum number of coefficient images.
  static constexpr Index most_coefficients = 64;

  std::string name() const override { return "BasisNufft"; }
  /// Fused with coil maps that are the same for every coefficient image: Batched CoilMaps.
  OperatorPtr<T> normal_through(const LinearOperator<T>& inner, const NormalOptions& options,
                                Context& ctx) const override;
  std::size_t scratch_bytes(const Context& ctx) const override;
  std::size_t table_bytes() const override;
  /// Both for a transform of `samples` samples that has not been made yet.
  static std::size_t scratch_bytes(const Shape& image_shape, Index samples, Index coefficients,
                                   const NufftOptions& options, Context& ctx);
  static std::size_t table_bytes(const Shape& image_shape, Index samples, Index coefficients,
                                 const NufftOptions& options, Context& ctx);

  /// Number of coefficient images, and the requested relative error.
  Index coefficients() const;
  double tolerance() const;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  /// A Toeplitz with as many terms, if options allow it.
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;

 private:
  const Toeplitz<T>* toeplitz(const NormalOptions& options, std::size_t more_bytes, Context& ctx) const;

  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace larmor
