#include <larmor/solvers/solve.hpp>

#include <algorithm>

namespace LARMOR_API larmor {

template <typename T>
Solver automatic_solver(const Problem<T>& problem, Context& ctx) {
  const SolvableTerms needed = terms_of(problem, ctx);
  const auto table = solver_table();
  return std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.takes >= needed; })
      ->solver;
}

template Solver automatic_solver<float>(const Problem<float>&, Context&);
template Solver automatic_solver<double>(const Problem<double>&, Context&);

}  // namespace larmor
