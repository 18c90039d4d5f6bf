#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/problem/problem.hpp>

namespace LARMOR_API larmor {

/// LSMR (Fong & Saunders 2011) for problems that have their model and samples and whose terms are all
/// quadratic: Golub-Kahan bidiagonalisation of A, in exact arithmetic MINRES on the normal equations, so that
/// SolverStep::gradient never rises. It applies A and Aᴴ but not AᴴA, whose condition number is the square:
/// for ill-conditioned problems without a Toeplitz form. With priors it starts from their mean. AᴴA is
/// applied only for ‖A‖². Throws Error (usage) for other terms, and for a first iterate.
template <typename T>
SolverResult<T> lsmr(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx);

/// The same for y = A x + noise; y may be in host memory. Tables of AᴴA would not pay off for the few
/// products that ‖A‖² needs.
template <typename T>
SolverResult<T> lsmr(const LinearOperator<T>& A, std::type_identity_t<View<const std::complex<T>>> y,
                     const std::vector<Regularizer<T>>& terms, const SolverOptions<T>& options,
                     Context& ctx) {
  return lsmr(detail::problem_of<T>(A, y, terms, {.toeplitz = NormalOptions::Toeplitz::off}, ctx), options,
              ctx);
}

}  // namespace larmor
