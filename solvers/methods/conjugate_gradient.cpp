#include <larmor/core/format_error.hpp>
#include <larmor/core/replay.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/methods/on_samples.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace LARMOR_API larmor {

template <typename T>
SolverResult<T> conjugate_gradient(const LinearOperator<T>& A,
                                   std::type_identity_t<View<const std::complex<T>>> y,
                                   const ConjugateGradientOptions& options, Context& ctx) {
  const auto normal = A.normal(options.normal, ctx);
  const bool elsewhere = !(y.device() == ctx.device());
  const auto rhs = elsewhere ? A.adjoint(copied_to(ctx.device(), y), ctx) : A.adjoint(y, ctx);
  return conjugate_gradient_normal(*normal, rhs, options, ctx);
}

namespace {

// (AᴴA + shift) x = b, in the units of the data.
template <typename T>
struct System {
  const LinearOperator<T>& normal;
  View<const std::complex<T>> b;
  double shift = 0;
  double constant = 0;  // of the objective
  double null_space = 0;
  const LinearOperator<T>* preconditioner = nullptr;
  View<const std::complex<T>> start{};
};

// run.result.operator_norm_squared and scale are what a checkpoint carries on.
template <typename T>
SolverResult<T> iterate(const System<T>& system, Index iterations, detail::SolverRun<T>& run, Context& ctx) {
  using C = std::complex<T>;
  SolverResult<T>& result = run.result;
  const LinearOperator<T>& normal = system.normal;
  const Shape& image = normal.domain();
  result.x = Array<C>(image, ctx.device());
  fill<T>(result.x, 0, ctx);
  const double rhs_norm = std::sqrt(squared_norm<T>(system.b, ctx));
  if (!std::isfinite(rhs_norm))
    throw input_error("conjugate gradients: the data contain NaN or infinite values");
  if (rhs_norm == 0) {
    result.stop_reason = "zero data";
    return std::move(result);
  }

  Array<C> r = clone(system.b), p(image, ctx.device()), q(image, ctx.device());
  Array<C> z;
  if (system.preconditioner) {
    z = Array<C>(image, ctx.device());
    ctx.arena().reserve(std::max(normal.scratch_bytes(ctx), system.preconditioner->scratch_bytes(ctx)));
  }
  Replay apply_normal(
      [&] {
        normal.apply(p, q, ctx);
        if (system.shift > 0) axpy<T>(system.shift, p, q, ctx);
      },
      ctx);
  double rz = rhs_norm * rhs_norm, largest_quotient = 0;
  Index done = 0;
  if (run.resumed()) {
    done = run.restore({result.x, r, p});
    rz = run.resumed_scalar(2);
    largest_quotient = run.resumed_scalar(3);
  } else {
    if (system.start.size() > 0) {
      copy<T>(system.start, result.x, ctx);
      copy<T>(system.start, p, ctx);
      apply_normal();
      ++result.normal_applies;
      axpy<T>(-1, q, r, ctx);
      rz = squared_norm<T>(r, ctx);
    }
    if (system.preconditioner) {
      system.preconditioner->apply(r, p, ctx);
      rz = dot<T>(r, p, ctx).real();
    } else {
      copy<T>(r, p, ctx);
    }
  }
  for (Index iteration = done + 1; iteration <= iterations; ++iteration) {
    ctx.throw_if_cancelled();
    apply_normal();
    ++result.normal_applies;
    const auto [pq, pp] = dots<T>({{p, q}, {p, p}}, ctx);
    const double curvature = pq.real();
    const double quotient = curvature / pp.real();
    largest_quotient = std::max(largest_quotient, quotient);
    const double smallest_quotient = system.shift > 0 ? 0 : system.null_space * largest_quotient;
    if (!(quotient > smallest_quotient)) {  // p lies in the null space to rounding: the minimum is reached
      result.stop_reason = "null space";
      break;
    }
    const double step = rz / curvature;
    axpy<T>(step, p, result.x, ctx);
    axpy<T>(-step, q, r, ctx);
    if (system.preconditioner) system.preconditioner->apply(r, z, ctx);
    const View<const C> direction = system.preconditioner ? z : r;
    const auto [residual, xb, xr, rz_next] =
        dots<T>({{r, r}, {result.x, system.b}, {result.x, r}, {r, direction}}, ctx);
    // With r = b − Hx the objective ½xᴴHx − Re xᴴb equals −½Re xᴴ(b + r).
    const double objective = -0.5 * (xb.real() + xr.real()) + system.constant;
    const double gradient = std::sqrt(residual.real()) / rhs_norm;
    if (run.record({iteration, gradient, objective}, result.x, image)) break;
    // Far below rounding x no longer changes, and denormal numbers only cost time.
    constexpr double rounding = 1e-3 * std::numeric_limits<T>::epsilon();
    if (gradient <= rounding) {
      result.stop_reason = "tolerance";
      break;
    }
    xpby<T>(direction, rz_next.real() / rz, p, ctx);
    rz = rz_next.real();
    if (run.checkpoint_due(iteration))
      run.checkpoint(iteration, {result.x, r, p},
                     {result.operator_norm_squared, result.scale, rz, largest_quotient});
  }
  return std::move(result);
}

}  // namespace

template <typename T>
SolverResult<T> conjugate_gradient_normal(const LinearOperator<T>& normal,
                                          std::type_identity_t<View<const std::complex<T>>> rhs,
                                          const ConjugateGradientOptions& options, Context& ctx) {
  if (!(options.lambda >= 0) || !std::isfinite(options.lambda))
    throw usage_error("conjugate gradients: lambda must be zero or positive, got {}", options.lambda);
  const SolverHooks<T> hooks;
  detail::SolverRun<T> run("cg", options.iterations, options.tolerance, hooks, ctx);
  System<T> system{normal, rhs};
  system.null_space = options.null_space;
  if (options.lambda > 0) {
    double norm_squared = options.norm_squared;
    if (!(norm_squared > 0)) {
      const double largest = max_magnitude<T>(rhs, ctx);
      norm_squared = largest > 0 && std::isfinite(largest) ? largest_eigenvalue(normal, ctx) : 0;
    }
    run.result.operator_norm_squared = norm_squared;
    system.shift = options.lambda * norm_squared;
  }
  return iterate(system, options.iterations, run, ctx);
}

template <typename T>
SolverResult<T> conjugate_gradient(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx) {
  detail::SolverRun<T> run("cg", options.iterations, options.tolerance, options.hooks, ctx);
  const detail::ScaledProblem<T> scaled(problem, run, ctx, false);
  if (!scaled.terms().empty())
    throw usage_error(
        "conjugate gradients cannot take the term '{}', which is not quadratic; use fista or admm",
        scaled.terms()[0]->name);
  if (scaled.zero_data()) return scaled.finish_zero(run, ctx);
  if (options.sample_preconditioner)
    return detail::conjugate_gradient_on_samples(problem, scaled, options, run, ctx);
  if (options.preconditioner && !(options.preconditioner->domain() == scaled.image()))
    throw internal_error("cg: the preconditioner takes {}, the image has shape {}",
                         options.preconditioner->domain().to_string(), scaled.image().to_string());
  System<T> system{scaled.normal(), scaled.rhs()};
  system.shift = scaled.quadratic() * scaled.norm_squared();
  system.constant = scaled.constant();
  system.null_space = options.null_space;
  system.preconditioner = options.preconditioner.get();
  scaled.check_start(options.start, ctx);
  system.start = options.start;
  run.result.operator_norm_squared = scaled.norm_squared();
  run.result.scale = scaled.scale();
  auto result = iterate(system, options.iterations, run, ctx);
  if (system.shift == 0 && !(problem.norm_squared > 0)) result.operator_norm_squared = 0;
  return result;
}

#define LARMOR_INSTANTIATE(T)                                                                              \
  template SolverResult<T> conjugate_gradient<T>(const LinearOperator<T>&,                                 \
                                                 std::type_identity_t<View<const std::complex<T>>>,        \
                                                 const ConjugateGradientOptions&, Context&);               \
  template SolverResult<T> conjugate_gradient_normal<T>(const LinearOperator<T>&,                          \
                                                        std::type_identity_t<View<const std::complex<T>>>, \
                                                        const ConjugateGradientOptions&, Context&);        \
  template SolverResult<T> conjugate_gradient<T>(const Problem<T>&, const SolverOptions<T>&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
