#include <larmor/solvers/methods/admm.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/methods/fista.hpp>
#include <larmor/solvers/methods/lsmr.hpp>
#include <larmor/solvers/methods/pdhg.hpp>
#include <larmor/solvers/problem/scaled_problem.hpp>
#include <larmor/solvers/solve.hpp>

namespace LARMOR_API larmor {

template <typename T>
SolverChoice automatic_solver(const Problem<T>& problem, Context& ctx) {
  const Regularizer<T>* only = nullptr;
  for (const auto& term : problem.regularizers) {
    if (term.quadratic || term.lambda == 0) continue;
    if (only) return SolverChoice::admm;
    only = &term;
  }
  if (!only) return SolverChoice::cg;
  return detail::is_unitary(*only, ctx) ? SolverChoice::fista : SolverChoice::admm;
}

template <typename T>
SolverResult<T> solve(const Problem<T>& problem, SolverChoice choice, const SolverOptions<T>& options,
                      Context& ctx) {
  if (choice == SolverChoice::automatic) choice = automatic_solver(problem, ctx);
  switch (choice) {
    case SolverChoice::cg:
      return conjugate_gradient(problem, options, ctx);
    case SolverChoice::lsmr:
      return lsmr(problem, options, ctx);
    case SolverChoice::fista:
      return fista(problem, options, ctx);
    case SolverChoice::pdhg:
      return pdhg(problem, options, ctx);
    default:
      return admm(problem, options, ctx);
  }
}

const char* to_string(SolverChoice choice) {
  switch (choice) {
    case SolverChoice::cg:
      return "cg";
    case SolverChoice::lsmr:
      return "lsmr";
    case SolverChoice::fista:
      return "fista";
    case SolverChoice::admm:
      return "admm";
    case SolverChoice::pdhg:
      return "pdhg";
    default:
      return "auto";
  }
}

#define LARMOR_INSTANTIATE(T)                                             \
  template SolverChoice automatic_solver<T>(const Problem<T>&, Context&); \
  template SolverResult<T> solve<T>(const Problem<T>&, SolverChoice, const SolverOptions<T>&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
