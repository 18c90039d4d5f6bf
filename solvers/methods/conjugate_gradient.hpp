#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/problem/problem.hpp>

namespace LARMOR_API larmor {

/// Conjugate gradients on the normal equations (Hestenes & Stiefel 1952) for problems whose terms are all
/// quadratic: no term, Tikhonov (l2), Tikhonov towards a prior. Throws Error (usage) on other terms.
template <typename T>
SolverResult<T> conjugate_gradient(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx);

/// The same for y = A x + noise; y may be in host memory.
template <typename T>
SolverResult<T> conjugate_gradient(const LinearOperator<T>& A,
                                   std::type_identity_t<View<const std::complex<T>>> y,
                                   const std::vector<Regularizer<T>>& terms, const SolverOptions<T>& options,
                                   Context& ctx) {
  return conjugate_gradient(detail::problem_of<T>(A, y, terms, options.normal, ctx), options, ctx);
}

}  // namespace larmor
