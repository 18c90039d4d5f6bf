#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/problem/problem.hpp>

namespace LARMOR_API larmor {

struct ConjugateGradientOptions {
  /// Tikhonov weight, scale-free: the term is lambda·‖A‖² (the largest eigenvalue of AᴴA, by power
  /// iteration).
  double lambda = 0;
  double norm_squared =
      0;  ///< ‖A‖² when it is known from an earlier solve with the same operator; 0: computed
  Index iterations = 30;
  /// Stop when ‖gradient‖ / ‖Aᴴy‖ falls below; 0: exactly `iterations`.
  double tolerance = 0;
  /// Stop where the curvature of AᴴA along the search direction falls below this fraction of the largest one
  /// met: an inexact normal operator says nothing there, and dividing by it amplifies its error. Without
  /// effect when lambda > 0; 0: only where the curvature is not positive.
  double null_space = 0;
  NormalOptions normal{};
};

/// Minimises ½‖Ax − y‖² + ½λ‖A‖²‖x‖² by conjugate gradients on the normal equations (Hestenes & Stiefel
/// 1952), from zero. y may be in host memory; x is on the context's device. Throws Error (cancelled) when the
/// context is cancelled.
template <typename T>
SolverResult<T> conjugate_gradient(const LinearOperator<T>& A,
                                   std::type_identity_t<View<const std::complex<T>>> y,
                                   const ConjugateGradientOptions& options, Context& ctx);

/// The same when the normal operator and the right-hand side Aᴴy are at hand.
template <typename T>
SolverResult<T> conjugate_gradient_normal(const LinearOperator<T>& normal,
                                          std::type_identity_t<View<const std::complex<T>>> rhs,
                                          const ConjugateGradientOptions& options, Context& ctx);

/// The same for a problem whose terms are all quadratic (no term, Tikhonov, Tikhonov towards a prior), with a
/// first iterate, a preconditioner, and resumption. Throws Error (usage) on other terms.
template <typename T>
SolverResult<T> conjugate_gradient(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx);

}  // namespace larmor
