#include <larmor/core/format_error.hpp>
#include <larmor/solvers/problem/on_samples.hpp>

namespace larmor::detail {

template <typename T>
void check_on_samples(const std::string& solver, const Problem<T>& problem, const SolverOptions<T>& options) {
  if (!problem.model || problem.samples.empty())
    throw usage_error("{} works here on the model and its samples, which the problem does not have", solver);
  if (!options.start.empty())
    throw usage_error("{} starts here from zero or from the prior of an l2 term; leave the first iterate out",
                      solver);
  const LinearOperator<T>& A = problem.model;
  if (!(A.domain() == problem.normal.domain()) || !(A.codomain() == problem.samples.shape()))
    throw usage_error("{}: the model {} maps {} to {}, the image has shape {} and the samples {}", solver,
                      A.name(), A.domain().to_string(), A.codomain().to_string(),
                      problem.normal.domain().to_string(), problem.samples.shape().to_string());
  if (options.sample_preconditioner && !(options.sample_preconditioner->shape() == A.codomain()))
    throw usage_error("{}: the preconditioner has shape {}, the samples {}", solver,
                      options.sample_preconditioner->shape().to_string(), A.codomain().to_string());
}

template <typename T>
Array<std::complex<T>> mean_prior(const Problem<T>& problem, const ScaledProblem<T>& scaled, Context& ctx) {
  Array<std::complex<T>> prior;
  for (const auto& term : problem.regularizers) {
    if (!term.prior || term.lambda == 0) continue;
    if (prior.empty()) {
      prior = Array<std::complex<T>>(scaled.image(), ctx.device());
      fill<T>(prior, 0, ctx);
    }
    axpy<T>(term.lambda / scaled.quadratic(), *term.prior, prior, ctx);
  }
  return prior;
}

#define LARMOR_INSTANTIATE(T)                                                                        \
  template void check_on_samples<T>(const std::string&, const Problem<T>&, const SolverOptions<T>&); \
  template Array<std::complex<T>> mean_prior<T>(const Problem<T>&, const ScaledProblem<T>&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::detail
