#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/replay.hpp>
#include <larmor/solvers/methods/conjugate_gradient_loop.hpp>
#include <larmor/solvers/methods/irgnm.hpp>
#include <larmor/solvers/problem/loop.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {

template <typename T>
SolverResult<T> irgnm(NonlinearLeastSquares<T>& model,
                      std::type_identity_t<View<const std::complex<T>>> start, const IrgnmOptions& options,
                      Context& ctx) {
  using C = std::complex<T>;
  if (!(start.shape() == model.domain()))
    throw usage_error("irgnm: the start has shape {}, the model takes {}", start.shape().to_string(),
                      model.domain().to_string());
  if (!(options.alpha >= 0) || !std::isfinite(options.alpha) || !(options.alpha_min >= 0))
    throw usage_error("irgnm: alpha {} with a minimum of {}, expected zero or positive numbers",
                      options.alpha, options.alpha_min);
  if (!(options.reduction > 0 && options.reduction <= 1))
    throw usage_error("irgnm: reduction {} of alpha, expected more than 0 and at most 1", options.reduction);
  const SolverHooks<T> no_hooks;
  detail::SolverRun<T> run("irgnm", options.iterations, 0, no_hooks, ctx);
  SolverResult<T>& result = run.result;
  result.x = clone(start);
  const Shape& shape = model.domain();
  detail::ConjugateGradientLoop<T> inner(shape, {}, ctx);
  Array<C> step(shape, ctx.device()), descent(shape, ctx.device());
  double alpha = options.alpha, cost = 0;
  const auto look = [&] {
    model.move_to(result.x, ctx);
    cost = model.residual_squared(ctx);
    model.descent(descent, ctx);
  };
  // The right-hand side of the Newton equation, the negative gradient of the regularised problem.
  const auto regularise = [&] {
    combine<T>({{1, descent}, {alpha, start}, {-alpha, result.x}}, inner.residual(), ctx);
  };
  look();
  regularise();
  const double first_gradient = std::sqrt(squared_norm<T>(inner.residual(), ctx));
  if (!std::isfinite(first_gradient) || !std::isfinite(cost))
    throw input_error("irgnm: the data, the model or the start contain NaN or infinite values");
  if (first_gradient == 0) {
    result.stop_reason = StopReason::zero_data;
    return std::move(result);
  }
  const LinearOperator<T>& normal = model.normal();
  Replay apply_normal([&] { normal.apply(inner.direction(), inner.product(), ctx); }, ctx);
  for (Index iteration = 1; iteration <= options.iterations; ++iteration) {
    ctx.throw_if_cancelled();
    fill<T>(step, 0, ctx);
    result.normal_applies += inner.solve(
        options.inner_tolerance, options.inner_iterations, false,
        [&] {
          apply_normal();
          if (alpha > 0) axpy<T>(alpha, inner.direction(), inner.product(), ctx);
        },
        [&](double size) { axpy<T>(size, inner.direction(), step, ctx); }, ctx);
    axpy<T>(1, step, result.x, ctx);
    const double before = cost;
    look();
    regularise();
    const double gradient = std::sqrt(squared_norm<T>(inner.residual(), ctx));
    if (!std::isfinite(cost))
      throw input_error("irgnm: step {} is not finite; start with a larger alpha", iteration);
    if (run.record({iteration, gradient / first_gradient, 0.5 * cost}, result.x, shape)) break;
    const double slow = options.least_gain * options.residual * options.residual;
    if (options.residual > 0 && std::sqrt(cost) <= options.residual &&
        (options.least_gain == 0 || before - cost <= slow)) {
      result.stop_reason = StopReason::residual;
      break;
    }
    alpha = std::max(alpha * options.reduction, options.alpha_min);
    regularise();
  }
  return std::move(result);
}

template SolverResult<float> irgnm<float>(NonlinearLeastSquares<float>&, View<const std::complex<float>>,
                                          const IrgnmOptions&, Context&);
template SolverResult<double> irgnm<double>(NonlinearLeastSquares<double>&, View<const std::complex<double>>,
                                            const IrgnmOptions&, Context&);

}  // namespace larmor
