#pragma once

#include <larmor/solvers/problem/scaled_problem.hpp>

namespace larmor::detail {

/// Primal-dual hybrid gradients (Chambolle & Pock 2011) whose dual variable of the data has a step for each
/// sample. A single term with a unitary transform is taken in the primal step.
template <typename T>
SolverResult<T> pdhg_on_samples(const Problem<T>& problem, const ScaledProblem<T>& scaled,
                                const SolverOptions<T>& options, SolverRun<T>& run, Context& ctx);

}  // namespace larmor::detail
