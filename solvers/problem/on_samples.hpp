#pragma once

#include <larmor/solvers/problem/scaled_problem.hpp>

namespace larmor::detail {

// Solvers that see the samples themselves, not only AᴴA and Aᴴy: what a preconditioner of the samples needs
// (Ong, Uecker & Lustig 2020). The minimum is that of the problem as it is, unlike with density weights.

/// Throws Error (usage) when the problem has no model, there is a first iterate, or shapes do not fit.
template <typename T>
void check_on_samples(const std::string& solver, const Problem<T>& problem, const SolverOptions<T>& options);

/// Σ λ_i p_i / Σ λ_i of the priors p_i, in the image's units; empty where there is none.
template <typename T>
Array<std::complex<T>> mean_prior(const Problem<T>& problem, const ScaledProblem<T>& scaled, Context& ctx);

}  // namespace larmor::detail
