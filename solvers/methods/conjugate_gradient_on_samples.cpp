#include <larmor/core/format_error.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/solvers/methods/conjugate_gradient_loop.hpp>
#include <larmor/solvers/methods/conjugate_gradient_on_samples.hpp>
#include <larmor/solvers/problem/on_samples.hpp>

#include <algorithm>
#include <cmath>

namespace larmor::detail {

template <typename T>
SolverResult<T> conjugate_gradient_on_samples(const Problem<T>& problem, const ScaledProblem<T>& scaled,
                                              const SolverOptions<T>& options, SolverRun<T>& run,
                                              Context& ctx) {
  using C = std::complex<T>;
  check_on_samples("cg", problem, options);
  const double shift = scaled.quadratic() * scaled.norm_squared();
  if (!(shift > 0))
    throw usage_error("cg with a preconditioner of the samples needs an l2 term with a lambda above 0");
  const LinearOperator<T>& A = problem.model;
  const Shape &image = scaled.image(), &data = A.codomain();
  ConjugateGradientLoop<T> loop(data, Diagonal<T>(options.sample_preconditioner->view()), ctx);
  Array<C>&r = loop.residual(), &p = loop.direction(), &q = loop.product();
  copy<T>(problem.samples.view(), r, ctx);
  Array<C> x = mean_prior(problem, scaled, ctx);
  Array<C> g(image, ctx.device()), Hx(image, ctx.device());
  ctx.arena().reserve(std::max(A.scratch_bytes(ctx), scaled.normal().scratch_bytes(ctx)));
  if (x.empty()) {
    x = Array<C>(image, ctx.device());
    fill<T>(x, 0, ctx);
  } else {
    A.apply(x, q, ctx);
    axpy<T>(-1, q, r, ctx);
  }
  Index done = 0;
  if (run.resumed()) {
    done = run.restore({x, r, p});
    loop.resume(run.resumed_scalar(2));
  } else {
    loop.begin(0, ctx);
  }
  run.result.operator_norm_squared = scaled.norm_squared();
  run.result.scale = scaled.scale();
  const double rhs_norm = scaled.rhs_norm() * scaled.scale();
  const auto multiply = [&] {
    A.adjoint(p, g, ctx);
    A.apply(g, q, ctx);
    axpy<T>(shift, p, q, ctx);
    const double curvature = dot<T>(p, q, ctx).real();
    if (!(curvature > 0)) run.result.stop_reason = StopReason::null_space;
    return curvature;
  };
  const auto measure = [&](Index iteration) -> std::optional<double> {
    // The gradient of the problem itself, for one stopping rule with all solvers.
    scaled.normal().apply(x, Hx, ctx);
    ++run.result.normal_applies;
    const auto [xHx, xb, xx] = dots<T>({{x, Hx}, {x, scaled.rhs()}, {x, x}}, ctx);
    combine<T>({{1, Hx}, {shift, x}, {-1, scaled.rhs()}}, g, ctx);
    const double gradient = std::sqrt(squared_norm<T>(g, ctx)) / rhs_norm;
    const double objective = 0.5 * xHx.real() - xb.real() + 0.5 * shift * xx.real() + scaled.constant();
    if (run.record({iteration, gradient, objective}, x, image)) return {};
    loop.precondition();
    return loop.decrease(0, ctx);
  };
  const auto keep = [&](Index iteration) {
    if (run.checkpoint_due(iteration))
      run.checkpoint(iteration, {x, r, p}, {scaled.norm_squared(), scaled.scale(), loop.present()});
  };
  loop.run(
      done, options.iterations, multiply, [&](double step) { axpy<T>(step, g, x, ctx); }, measure, keep, ctx);
  run.result.x = std::move(x);
  return std::move(run.result);
}

template SolverResult<float> conjugate_gradient_on_samples<float>(const Problem<float>&,
                                                                  const ScaledProblem<float>&,
                                                                  const SolverOptions<float>&,
                                                                  SolverRun<float>&, Context&);
template SolverResult<double> conjugate_gradient_on_samples<double>(const Problem<double>&,
                                                                    const ScaledProblem<double>&,
                                                                    const SolverOptions<double>&,
                                                                    SolverRun<double>&, Context&);

}  // namespace larmor::detail
