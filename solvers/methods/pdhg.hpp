#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/problem/problem.hpp>

namespace LARMOR_API larmor {

/// Primal-dual hybrid gradients for any terms, in the form for a smooth data term: gradient steps on ½‖Ax −
/// y‖², proximal steps on the multipliers of W_i x (Loris & Verhoeven 2011; Chen, Huang & Zhang 2013). One
/// application of AᴴA and one of every transform and its adjoint per iteration, no inner solver. This variant
/// is used because the data term limits only the primal step (τ < 2/‖A‖²) and the transforms only the dual
/// step (σ_i = 1/(τ‖Σ W_iᴴW_i/‖W_i‖²‖‖W_i‖²), the norm by power iteration), whereas Condat's and Vũ's
/// condition shortens both. SolverStep as in admm.
template <typename T>
SolverResult<T> pdhg(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx);

/// The same for y = A x + noise; y may be in host memory.
template <typename T>
SolverResult<T> pdhg(const LinearOperator<T>& A, std::type_identity_t<View<const std::complex<T>>> y,
                     const std::vector<Regularizer<T>>& terms, const SolverOptions<T>& options,
                     Context& ctx) {
  return pdhg(detail::problem_of<T>(A, y, terms, options.normal, ctx), options, ctx);
}

}  // namespace larmor
