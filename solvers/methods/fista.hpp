#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/problem/problem.hpp>

namespace LARMOR_API larmor {

/// Accelerated proximal gradients (Beck & Teboulle 2009) with restart of the momentum whenever it leads
/// uphill (O'Donoghue & Candès 2015), for any number of quadratic terms and at most one other, whose
/// transform is the identity or unitary. One application of AᴴA per iteration. SolverStep::gradient is the
/// norm of the subgradient that the proximal map certifies at the iterate. If a term is a different function
/// in every iteration (random shifts), iterates do not settle: their mean, with larger weights for later ones
/// (polynomial decay, Shamir & Zhang 2013), is returned if its objective is lower than that of the last one,
/// unless SolverOptions::keep_state is set. Throws Error (usage) for other problems: use admm or pdhg.
template <typename T>
SolverResult<T> fista(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx);

/// The same for y = A x + noise; y may be in host memory.
template <typename T>
SolverResult<T> fista(const LinearOperator<T>& A, std::type_identity_t<View<const std::complex<T>>> y,
                      const std::vector<Regularizer<T>>& terms, const SolverOptions<T>& options,
                      Context& ctx) {
  return fista(detail::problem_of<T>(A, y, terms, options.normal, ctx), options, ctx);
}

}  // namespace larmor
