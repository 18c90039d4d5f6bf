#include <larmor/core/format_error.hpp>
#include <larmor/solvers/methods/admm.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/methods/fista.hpp>
#include <larmor/solvers/methods/lsmr.hpp>
#include <larmor/solvers/methods/pdhg.hpp>
#include <larmor/solvers/registry.hpp>

#include <algorithm>
#include <string>

namespace LARMOR_API larmor {

std::span<const SolverRow> solver_table() {
  // Solver, name, help, supported terms, needs samples, estimates its distance, functions.
  static constexpr SolverRow table[] = {
      {Solver::cg, "cg", "conjugate gradients on the normal equations", SolvableTerms::quadratic, false, true,
       conjugate_gradient<float>, conjugate_gradient<double>},
      {Solver::lsmr, "lsmr", "LSMR on the samples, for ill-conditioned problems", SolvableTerms::quadratic,
       true, false, lsmr<float>, lsmr<double>},
      {Solver::fista, "fista", "accelerated proximal gradients with restart", SolvableTerms::one_unitary,
       false, false, fista<float>, fista<double>},
      {Solver::admm, "admm", "alternating direction method of multipliers", SolvableTerms::any, false, false,
       admm<float>, admm<double>},
      {Solver::pdhg, "pdhg", "primal-dual hybrid gradients", SolvableTerms::any, false, false, pdhg<float>,
       pdhg<double>},
  };
  return table;
}

const SolverRow& find_solver(Solver solver) {
  const auto table = solver_table();
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.solver == solver; });
  if (row == table.end())
    throw usage_error("solver auto must be replaced by the result of automatic_solver()");
  return *row;
}

bool needs_samples(Solver solver) {
  return solver != Solver::automatic && find_solver(solver).needs_samples;
}
bool knows_its_distance(Solver solver) {
  return solver == Solver::automatic || find_solver(solver).knows_its_distance;
}

const char* to_string(Solver solver) {
  return solver == Solver::automatic ? "auto" : find_solver(solver).name;
}

Solver parse_solver(std::string_view name) {
  std::string names = "auto";
  if (name == names) return Solver::automatic;
  for (const SolverRow& row : solver_table()) {
    if (name == row.name) return row.solver;
    names += std::string(", ") + row.name;
  }
  throw usage_error("unknown solver '{}'; expected one of {}", name, names);
}

}  // namespace larmor
