#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/problem/problem.hpp>

#include <span>
#include <string_view>

namespace LARMOR_API larmor {

/// The available methods; `automatic` chooses one from the problem's terms.
enum class Solver { automatic, cg, lsmr, fista, admm, pdhg };

/// One solver as shown to the user. A new one is a file pair in methods/, a name above and a row of the
/// table.
struct SolverRow {
  Solver solver;
  const char* name;
  const char* help;     ///< one line
  SolvableTerms takes;  ///< besides quadratic terms
  bool needs_samples;   ///< works on Problem::model and samples, not on the normal operator
  /// True if it estimates its distance from the minimum of quadratic terms, so that it can stop there.
  bool knows_its_distance;
  SolverResult<float> (*solve_float)(const Problem<float>&, const SolverOptions<float>&, Context&);
  SolverResult<double> (*solve_double)(const Problem<double>&, const SolverOptions<double>&, Context&);

  /// Solves by this method, in the precision of the problem.
  template <typename T>
  SolverResult<T> solve(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx) const {
    if constexpr (std::is_same_v<T, float>)
      return solve_float(problem, options, ctx);
    else
      return solve_double(problem, options, ctx);
  }
};

/// In the order in which `automatic` tries them: the first that supports the problem's terms is used.
std::span<const SolverRow> solver_table();
/// The row of a solver. Throws Error (usage) for `automatic`, which has none.
const SolverRow& find_solver(Solver solver);
/// The properties in its row; `automatic` chooses one that needs no samples, and that estimates its distance
/// if possible.
bool needs_samples(Solver solver);
bool knows_its_distance(Solver solver);

/// "auto", or the name in the table.
const char* to_string(Solver solver);
/// The reverse. Throws Error (usage) that lists the known names.
Solver parse_solver(std::string_view name);

}  // namespace larmor
