#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/transforms/wavelet.hpp>
#include <larmor/solvers/problem/problem.hpp>
#include <larmor/solvers/regularizers/image_layout.hpp>

#include <array>
#include <optional>

namespace LARMOR_API larmor {

/// Weight and wavelets of the l1 norm of wavelet coefficients.
struct WaveletL1Options {
  double lambda = 0;
  int vanishing_moments = 2;  ///< of Daubechies' wavelet, 1 (Haar) to 10
  int levels = 3;             ///< at most; fewer if the image is small
  bool shifts = true;         ///< another shift of the coefficient grid in every iteration
  bool joint = false;         ///< the norm over the slowest axis of each coefficient
};

/// λ Σ |detail coefficients| of the orthogonal wavelet transform Ψ of the spatial axes, as a function of the
/// image with a prox in closed form: shift, transform, shrink, back. The coarsest low band is not sparse and
/// not penalised. With shifts the prox belongs to the transform of a shifted image, drawn from the iteration:
/// cycle spinning, which removes the blocks that a fixed grid leaves but does not converge to a single
/// function; value() is that of the shift zero. Without shifts the function is ‖Ψx‖₁ exactly.
template <typename T>
class WaveletNorm final : public ProximalMap<T> {
 public:
  using Scalar = std::complex<T>;
  /// The norm of images of this layout.
  WaveletNorm(const ImageLayout& image, const WaveletL1Options& options);
  std::string name() const override { return "WaveletNorm"; }
  double value(View<const Scalar> z, Context& ctx) const override;
  double value_in(Index iteration, View<const Scalar> z, Context& ctx) const override;
  void apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx,
             Index iteration = 0) const override;
  std::size_t scratch_bytes(const Context& ctx) const override;
  const Wavelet<T>& transform() const { return wavelet_; }
  bool varies() const override { return shifts_; }
  /// Number of images that share one shrinkage.
  Index joint() const { return joint_; }

 private:
  using Shift = std::array<Index, 3>;  // along z, y, x
  double value_of_shifted(const Shift& shift, View<const Scalar> z, Context& ctx) const;
  Shift shift_in(Index iteration) const;

  Wavelet<T> wavelet_;
  Index joint_;
  bool shifts_;
};

/// Throws Error (usage) if no axis of the image is as long as the filter.
template <typename T>
Regularizer<T> wavelet_l1(const ImageLayout& image, const WaveletL1Options& options);

/// The term of wavelet_l1() with shifts as one convex function: λ/S Σ_s ‖Ψ R_s x‖₁ over a few fixed shifts
/// R_s of the grid, with the tight frame W = (Ψ R_s)_s / √S as its transform (translation-invariant
/// shrinkage, Coifman & Donoho 1995). For solvers that take long steps, which do not average over random
/// shifts. Nothing for other terms.
template <typename T>
std::optional<Regularizer<T>> with_fixed_shifts(const Regularizer<T>& term);

}  // namespace larmor
