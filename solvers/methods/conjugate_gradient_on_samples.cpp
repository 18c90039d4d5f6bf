#include <larmor/core/format_error.hpp>
#include <larmor/operators/basic.hpp>
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
  const Diagonal<T> preconditioner(options.sample_preconditioner->view());
  const Shape &image = scaled.image(), &data = A.codomain();
  Array<C> x = mean_prior(problem, scaled, ctx);
  Array<C> r = clone(problem.samples.view()), z(data, ctx.device()), p(data, ctx.device()),
           q(data, ctx.device());
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
  double rz = 0;
  if (run.resumed()) {
    done = run.restore({x, r, p});
    rz = run.resumed_scalar(2);
  } else {
    preconditioner.apply(r, p, ctx);
    rz = dot<T>(r, p, ctx).real();
  }
  run.result.operator_norm_squared = scaled.norm_squared();
  run.result.scale = scaled.scale();
  const double rhs_norm = scaled.rhs_norm() * scaled.scale();
  for (Index iteration = done + 1; iteration <= options.iterations; ++iteration) {
    ctx.throw_if_cancelled();
    A.adjoint(p, g, ctx);
    A.apply(g, q, ctx);
    axpy<T>(shift, p, q, ctx);
    const double curvature = dot<T>(p, q, ctx).real();
    if (!(curvature > 0)) {
      run.result.stop_reason = "null space";
      break;
    }
    const double step = rz / curvature;
    axpy<T>(step, g, x, ctx);
    axpy<T>(-step, q, r, ctx);
    // The gradient of the problem itself, for one stopping rule with all solvers.
    scaled.normal().apply(x, Hx, ctx);
    ++run.result.normal_applies;
    const auto [xHx, xb, xx] = dots<T>({{x, Hx}, {x, scaled.rhs()}, {x, x}}, ctx);
    combine<T>({{1, Hx}, {shift, x}, {-1, scaled.rhs()}}, g, ctx);
    const double gradient = std::sqrt(squared_norm<T>(g, ctx)) / rhs_norm;
    const double objective = 0.5 * xHx.real() - xb.real() + 0.5 * shift * xx.real() + scaled.constant();
    if (run.record({iteration, gradient, objective}, x, image)) break;
    preconditioner.apply(r, z, ctx);
    const double following = dot<T>(r, z, ctx).real();
    xpby<T>(z, following / rz, p, ctx);
    rz = following;
    if (run.checkpoint_due(iteration))
      run.checkpoint(iteration, {x, r, p}, {scaled.norm_squared(), scaled.scale(), rz});
  }
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
