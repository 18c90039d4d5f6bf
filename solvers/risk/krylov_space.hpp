#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// An orthonormal basis of the space of b, Hb, H²b, … for a Hermitian, positive semi-definite H (Lanczos
/// 1950), kept orthogonal. In it every (H + λ)x = b is a small tridiagonal system, so that the solutions that
/// conjugate gradients reach for all λ, after every iteration, cost nothing more.
template <typename T>
class KrylovSpace {
 public:
  using C = std::complex<T>;  ///< of vectors

  /// Starts with b on the context's device; H is borrowed. b = 0 leaves the space empty.
  KrylovSpace(const LinearOperator<T>& normal, std::type_identity_t<View<const C>> b, Context& ctx);

  /// One more dimension, for one application of H; false: H maps the space into itself, there is none.
  bool extend();
  /// Dimensions: iterations of conjugate gradients.
  Index size() const { return static_cast<Index>(diagonal_.size()); }
  /// ‖b‖
  double norm() const { return norm_; }
  /// The largest eigenvalue of H within the space, which the largest of H is not below.
  double largest() const;

  /// The place in the basis of what conjugate gradients on (H + shift) x = b have after `iterations`, at most
  /// size().
  std::vector<double> solution(Index iterations, double shift) const;
  /// bᴴ(H + shift)⁻¹b by Gauss quadrature (Golub & Meurant 1994). With b = Aᴴn for noise n of unit variance
  /// it estimates the trace of A(AᴴA + shift)⁻¹Aᴴ: the degrees of freedom of Tikhonov's solution.
  double freedom(double shift) const;
  /// A vector of the basis.
  View<const C> vector(Index i) const { return basis_[static_cast<std::size_t>(i)]; }
  /// Inner products of the first `count` vectors of the basis with x, their real parts.
  std::vector<double> projections(Index count, View<const C> x) const;
  /// The vector at a place.
  Array<C> combined(const std::vector<double>& place) const;

 private:
  /// Takes from a vector what lies in the basis; returns that part's norm.
  double orthogonalise(View<C> next) const;

  const LinearOperator<T>& normal_;
  Context& ctx_;
  std::vector<Array<C>> basis_;           // one more than there are dimensions
  std::vector<double> diagonal_, below_;  // of the tridiagonal matrix
  double norm_ = 0;
  bool exhausted_ = false;
};

}  // namespace larmor
