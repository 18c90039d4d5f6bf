#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/problem/problem.hpp>

namespace LARMOR_API larmor {

enum class SolverChoice { automatic, cg, lsmr, fista, admm, pdhg };

/// What `automatic` stands for: cg when every term is quadratic, fista for one other term whose transform is
/// the identity or unitary, else admm.
template <typename T>
SolverChoice automatic_solver(const Problem<T>& problem, Context& ctx);

/// Solves by the chosen method. Throws Error (usage) when that method cannot take the problem's terms.
template <typename T>
SolverResult<T> solve(const Problem<T>& problem, SolverChoice choice, const SolverOptions<T>& options,
                      Context& ctx);

/// "auto", "cg", "lsmr", "fista", "admm", "pdhg"
const char* to_string(SolverChoice choice);

}  // namespace larmor
