#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/problem/problem.hpp>

namespace LARMOR_API larmor {

/// Gives wavelet terms a few fixed shifts and locally low-rank ones a single grid of blocks: if these change
/// from step to step, ADMM stalls far from the minimum.
template <typename T>
void fix_shifts(Problem<T>& problem);

/// Alternating direction method of multipliers (Boyd et al. 2011) for any terms: every W_i x has a copy z_i;
/// the image is found by conjugate gradients that start from the previous iterate, the copies by proximal
/// maps. The weight of ‖W_i x − z_i‖² is rho/‖W_i‖², changed so that relative primal and dual residuals fall
/// together (after Wohlberg 2017, where each is relative to the quantities whose difference it is).
/// SolverStep: `gradient` is ‖∇f(x) + Σ W_iᴴ y_i‖ relative to ‖Aᴴy‖ with multipliers y_i that are
/// subgradients of λ_i g_i at z_i, `constraint` is ‖W x − z‖; both are 0 at the minimum. The objective is
/// that of x and the copies. Terms are as fix_shifts() makes them.
template <typename T>
SolverResult<T> admm(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx);

/// The same for y = A x + noise; y may be in host memory.
template <typename T>
SolverResult<T> admm(const LinearOperator<T>& A, std::type_identity_t<View<const std::complex<T>>> y,
                     const std::vector<Regularizer<T>>& terms, const SolverOptions<T>& options,
                     Context& ctx) {
  return admm(detail::problem_of<T>(A, y, terms, options.normal, ctx), options, ctx);
}

}  // namespace larmor
