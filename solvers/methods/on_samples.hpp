#pragma once

#include <larmor/solvers/problem/scaled_problem.hpp>

namespace larmor::detail {

// Solvers that see the samples themselves, not only AᴴA and Aᴴy: what a preconditioner of the samples needs
// (Ong, Uecker & Lustig 2020). The minimum is that of the problem as it is, unlike with density weights.

/// Throws Error: usage when the problem has no model or there is a first iterate, internal when shapes do not
/// fit.
template <typename T>
void check_on_samples(const std::string& solver, const Problem<T>& problem, const SolverOptions<T>& options);

/// Σ λ_i p_i / Σ λ_i of the priors p_i, in the image's units; empty where there is none.
template <typename T>
Array<std::complex<T>> mean_prior(const Problem<T>& problem, const ScaledProblem<T>& scaled, Context& ctx);

/// Conjugate gradients for (AAᴴ + λ‖A‖²) u = y − A p, x = p + Aᴴu. Throws Error (usage) where λ = 0: without
/// a Tikhonov term that has no solution.
template <typename T>
SolverResult<T> conjugate_gradient_on_samples(const Problem<T>& problem, const ScaledProblem<T>& scaled,
                                              const SolverOptions<T>& options, SolverRun<T>& run,
                                              Context& ctx);

/// Primal-dual hybrid gradients (Chambolle & Pock 2011) whose dual variable of the data has a step for each
/// sample. A single term with a unitary transform is taken in the primal step.
template <typename T>
SolverResult<T> pdhg_on_samples(const Problem<T>& problem, const ScaledProblem<T>& scaled,
                                const SolverOptions<T>& options, SolverRun<T>& run, Context& ctx);

}  // namespace larmor::detail
