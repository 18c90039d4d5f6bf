#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/problem/problem.hpp>

namespace LARMOR_API larmor {

/// Accelerated proximal gradients (Beck & Teboulle 2009) with restart of the momentum whenever it leads
/// uphill (O'Donoghue & Candès 2015), for any number of quadratic terms and at most one other, whose
/// transform is the identity or unitary. One application of AᴴA in an iteration. SolverStep::gradient is the
/// norm of the subgradient that the proximal map certifies at the iterate. Throws Error (usage) for other
/// problems: take admm or pdhg.
template <typename T>
SolverResult<T> fista(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx);

}  // namespace larmor
