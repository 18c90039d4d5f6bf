#include <larmor/core/format_error.hpp>
#include <larmor/solvers/found_lambda.hpp>

#include <algorithm>
#include <random>

namespace LARMOR_API larmor {
namespace {

constexpr unsigned probe_seed = 20180229;

/// Independent entries ±1 on the context's device.
template <typename T>
Array<std::complex<T>> random_signs(const Shape& shape, Context& ctx) {
  Array<std::complex<T>> signs(shape);
  std::mt19937 generator(probe_seed);
  for (auto& sign : signs) sign = (generator() & 1u) != 0 ? T(1) : T(-1);
  return moved_to(ctx.device(), std::move(signs));
}

}  // namespace

template <typename T>
FoundLambda<T> solve_with_found_lambda(const LinearOperator<T>& A,
                                       std::type_identity_t<View<const std::complex<T>>> y,
                                       const std::vector<RegularizerSpec>& terms,
                                       const RegularizerSetting<T>& setting, Solver solver,
                                       const SolverOptions<T>& options, double noise_variance, Context& ctx) {
  using C = std::complex<T>;
  FoundLambda<T> found;
  found.terms = terms;
  const auto is_automatic = [](const RegularizerSpec& spec) { return spec.automatic; };
  if (std::count_if(terms.begin(), terms.end(), is_automatic) != 1)
    throw usage_error("of the terms {} have an automatic lambda, expected one",
                      std::count_if(terms.begin(), terms.end(), is_automatic));
  const auto searched =
      static_cast<std::size_t>(std::find_if(terms.begin(), terms.end(), is_automatic) - terms.begin());

  Problem<T> problem = detail::problem_of<T>(A, y, {}, options.normal, ctx);
  for (const RegularizerSpec& spec : terms)
    problem.regularizers.push_back(make_regularizer<T>(spec, setting));
  problem.regularizers[searched].lambda =
      1;  // a term without weight would not count in the choice of a solver
  // The perturbed data of the search are measured by the same scale.
  problem.scale = max_magnitude<T>(problem.rhs.view(), ctx);
  found.solver = solver == Solver::automatic ? automatic_solver(problem, ctx) : solver;
  SolverOptions<T> last = options;
  if (problem.scale > 0) {
    const auto rhs = problem.rhs;
    // Data differ from trial to trial in their right-hand side alone, and lsmr's minimum is that of cg.
    const Solver trial_solver = needs_samples(found.solver) ? Solver::cg : found.solver;
    SharedArray<C> near;
    const auto solve_once = [&](const LambdaSolve<T>& asked) {
      Problem<T> trial = problem;
      trial.regularizers[searched].lambda = asked.lambda;
      trial.rhs = asked.rhs;
      SolverOptions<T> trial_options = options;
      trial_options.hooks = {};
      trial_options.iterations = std::min(asked.iterations, options.iterations);
      trial_options.distance = trial_solver == Solver::fista ? asked.distance : 0;
      trial_options.start = asked.start;
      trial_options.state = asked.state;
      trial_options.keep_state = true;
      SolverResult<T> result = solve(trial, trial_solver, trial_options, ctx);
      problem.norm_squared = std::max(problem.norm_squared, result.operator_norm_squared);
      if (asked.rhs.view().data() == rhs.view().data()) {
        near = SharedArray<C>(clone(result.x));
        last.state = result.state;
        last.earlier_iterations =
            std::max(last.earlier_iterations, static_cast<Index>(result.history.size()));
      }
      const auto done = static_cast<Index>(result.history.size());
      return LambdaSolution<T>{std::move(result.x), done, std::move(result.state)};
    };
    const Array<C> probe = A.adjoint(random_signs<T>(A.codomain(), ctx), ctx);
    found.choice = choose_lambda<T>(
        problem.normal, rhs, probe,
        {.samples = static_cast<double>(problem.samples.size()),
         .data_energy = squared_norm<T>(problem.samples.view(), ctx),
         .noise_variance = noise_variance,
         .rule = terms[searched].discrepancy ? LambdaRule::discrepancy : LambdaRule::least_error},
        solve_once, ctx);
    problem.regularizers[searched].lambda = found.terms[searched].lambda = found.choice.lambda;
    found.terms[searched].automatic = false;
    if (options.start.empty() && !needs_samples(found.solver)) last.start = near;
  }
  found.solution = solve(problem, found.solver, last, ctx);
  return found;
}

#define LARMOR_INSTANTIATE(T)                                                                             \
  template FoundLambda<T> solve_with_found_lambda(                                                        \
      const LinearOperator<T>&, std::type_identity_t<View<const std::complex<T>>>,                        \
      const std::vector<RegularizerSpec>&, const RegularizerSetting<T>&, Solver, const SolverOptions<T>&, \
      double, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
