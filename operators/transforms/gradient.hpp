#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>
#include <larmor/operators/transforms/gradient_kernels.hpp>

namespace LARMOR_API larmor {

/// The axes of `shape` numbered `axes` (0 the slowest), as loops over differences need them. Throws Error
/// (usage) for axes that do not exist, are repeated, or are more than four.
DifferenceAxes difference_axes(const char* name, const Shape& shape, const std::vector<int>& axes);

/// The last `count` axes of an array of `rank`: the spatial axes of [(frames,) (z,) y, x].
std::vector<int> last_axes(int rank, int count);

/// Forward differences along chosen axes: [shape] -> [axes, shape], y_k(i) = x(i + e_k) − x(i). The boundary
/// is Neumann's: the last difference of a line is zero, so that a constant image has no gradient.
template <typename T>
class Gradient final : public TwoWayOperator<Gradient<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// axes: as difference_axes() takes them.
  Gradient(const Shape& shape, const std::vector<int>& axes);
  std::string name() const override { return "Gradient"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }
  /// ‖∇‖² = Σ_k 4 cos²(π / 2n_k): the largest eigenvalue of the Laplacian with Neumann's boundary.
  double norm_squared() const;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  DifferenceAxes axes_;
};

/// The transform of second-order total generalised variation (Bredies, Kunisch, Pock 2010) for an image x and
/// a vector field v on it: (x, v) -> (∇x − v, E v), both sides flat, [(1 + d) N] -> [(d + d(d+1)/2) N]. Where
/// ∇x has no forward neighbour v is omitted as well, so that an affine image with its slope v gives zero. E:
/// the symmetrised gradient by backward differences, the first of a line zero; components in the order of
/// symmetric_component(), those beside the diagonal times √2, so that the norm over components is Frobenius'.
template <typename T>
class TgvDifferences final : public TwoWayOperator<TgvDifferences<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// axes: as difference_axes() takes them.
  TgvDifferences(const Shape& shape, const std::vector<int>& axes);
  std::string name() const override { return "TgvDifferences"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }
  /// An upper bound of the squared norm: that of [[a, 1], [0, b]] with a² = ‖∇‖², b² = 4d >= ‖E‖².
  double norm_squared_bound() const;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  DifferenceAxes axes_;
};

}  // namespace larmor
