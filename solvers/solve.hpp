#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/registry.hpp>

namespace LARMOR_API larmor {

/// The choice of `automatic`: cg if every term is quadratic, fista for one other term whose transform is the
/// identity or unitary, otherwise admm.
template <typename T>
Solver automatic_solver(const Problem<T>& problem, Context& ctx);

/// Solves by the chosen method. Throws Error (usage) if that method does not support the problem's terms.
template <typename T>
SolverResult<T> solve(const Problem<T>& problem, Solver solver, const SolverOptions<T>& options,
                      Context& ctx) {
  if (solver == Solver::automatic) solver = automatic_solver(problem, ctx);
  return find_solver(solver).template solve<T>(problem, options, ctx);
}

/// The same for y = A x + noise; y may be in host memory.
template <typename T>
SolverResult<T> solve(const LinearOperator<T>& A, std::type_identity_t<View<const std::complex<T>>> y,
                      const std::vector<Regularizer<T>>& terms, Solver solver,
                      const SolverOptions<T>& options, Context& ctx) {
  return solve(detail::problem_of<T>(A, y, terms, options.normal, ctx), solver, options, ctx);
}

}  // namespace larmor
