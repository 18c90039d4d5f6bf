#pragma once

#include <larmor/solvers/problem/scaled_problem.hpp>

namespace larmor::detail {

/// Conjugate gradients for (AAᴴ + λ‖A‖²) u = y − A p, x = p + Aᴴu. Throws Error (usage) where λ = 0: without
/// a Tikhonov term that has no solution.
template <typename T>
SolverResult<T> conjugate_gradient_on_samples(const Problem<T>& problem, const ScaledProblem<T>& scaled,
                                              const SolverOptions<T>& options, SolverRun<T>& run,
                                              Context& ctx);

}  // namespace larmor::detail
