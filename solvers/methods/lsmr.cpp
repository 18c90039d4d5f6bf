#include <larmor/core/format_error.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/methods/lsmr.hpp>
#include <larmor/solvers/methods/on_samples.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>

#include <cmath>

namespace LARMOR_API larmor {
namespace {

// A plane rotation that takes (a, b) to (r, 0).
struct Rotation {
  Rotation(double a, double b) : r(std::hypot(a, b)), c(r > 0 ? a / r : 1), s(r > 0 ? b / r : 0) {}
  double r, c, s;
};

// ‖Ax − y‖² + damping²‖x − x₀‖², from x = x₀.
template <typename T>
struct DampedSystem {
  const LinearOperator<T>& A;
  View<const std::complex<T>> y;
  double damping = 0;
  View<const std::complex<T>> prior{};  // x₀; empty: 0
  // What gradients are relative to and the objective is made of: Aᴴy + damping²x₀; empty: Aᴴy, no objective.
  View<const std::complex<T>> rhs{};
  bool objective = false;
  double constant = 0;  // of the objective
};

// Names of scalars as in Fong & Saunders (2011), section 2.8, with the damping of section 2.7.
// run.result.operator_norm_squared and scale are what a checkpoint carries on.
template <typename T>
SolverResult<T> iterate(const DampedSystem<T>& system, Index iterations, detail::SolverRun<T>& run,
                        Context& ctx) {
  using C = std::complex<T>;
  SolverResult<T>& result = run.result;
  const LinearOperator<T>& A = system.A;
  const Shape& image = A.domain();
  result.x = Array<C>(image, ctx.device());
  fill<T>(result.x, 0, ctx);

  Array<C> u = copied_to(ctx.device(), system.y), v(image, ctx.device()), h(image, ctx.device()),
           hbar(image, ctx.device());
  fill<T>(hbar, 0, ctx);
  A.reserve(ctx);
  Array<C> Ax;
  if (system.objective) Ax = Array<C>(u.shape(), ctx.device());
  // Normalises; 0 when there is nothing left.
  const auto normalise = [&](View<C> vector) {
    const double norm = std::sqrt(squared_norm<T>(vector, ctx));
    if (norm > 0) scale<T>(1 / norm, vector, ctx);
    return norm;
  };
  if (!run.resumed() && system.prior.size() > 0) {
    copy<T>(system.prior, result.x, ctx);
    scale<T>(-1, u.view(), ctx);
    A.apply(result.x, u, ctx, Write::accumulate);
    scale<T>(-1, u.view(), ctx);
  }
  const double data_norm = normalise(u);
  if (!std::isfinite(data_norm)) throw input_error("lsmr: the data contain NaN or infinite values");
  double alpha = 0;
  if (data_norm > 0) {
    A.adjoint(u, v, ctx);
    alpha = normalise(v);
  }
  const double gradient_norm = alpha * data_norm;
  if (gradient_norm == 0) {
    result.stop_reason = system.prior.size() > 0 ? "tolerance" : "zero data";  // x₀ is the minimum
    return std::move(result);
  }
  const double rhs_norm = system.rhs.size() > 0 ? std::sqrt(squared_norm<T>(system.rhs, ctx)) : gradient_norm;
  double alphabar = alpha, zetabar = gradient_norm, rho = 1, rhobar = 1, cbar = 1, sbar = 0;
  Index done = 0;
  if (run.resumed()) {
    double* const scalars[] = {&alpha, &alphabar, &zetabar, &rho, &rhobar, &cbar, &sbar};
    for (std::size_t i = 0; i < std::size(scalars); ++i) *scalars[i] = run.resumed_scalar(i + 2);
    done = run.restore({result.x, u, v, h, hbar});
  } else {
    copy<T>(v, h, ctx);
  }

  for (Index iteration = done + 1; iteration <= iterations; ++iteration) {
    ctx.throw_if_cancelled();
    scale<T>(-alpha, u.view(), ctx);
    A.apply(v, u, ctx, Write::accumulate);
    const double beta = normalise(u);
    scale<T>(-beta, v.view(), ctx);
    A.adjoint(u, v, ctx, Write::accumulate);
    alpha = normalise(v);

    const Rotation damped(alphabar, system.damping);
    const double rho_before = rho, rhobar_before = rhobar;
    const Rotation first(damped.r, beta);
    rho = first.r;
    const double theta = first.s * alpha;
    alphabar = first.c * alpha;
    const double thetabar = sbar * rho;
    const Rotation second(cbar * rho, theta);
    rhobar = second.r;
    cbar = second.c;
    sbar = second.s;
    const double zeta = cbar * zetabar;
    zetabar = -sbar * zetabar;

    // h̄ ← h − (θ̄ρ/ρ₋ρ̄₋) h̄,  x ← x + (ζ/ρρ̄) h̄,  h ← v − (θ/ρ) h
    xpby<T>(h, -thetabar * rho / (rho_before * rhobar_before), hbar, ctx);
    axpy<T>(zeta / (rho * rhobar), hbar, result.x, ctx);
    xpby<T>(v, -theta / rho, h, ctx);
    double objective = std::nan("");
    if (system.objective) {
      A.apply(result.x, Ax, ctx);
      const auto [xb, xx] = dots<T>({{result.x, system.rhs}, {result.x, result.x}}, ctx);
      objective = 0.5 * (squared_norm<T>(Ax, ctx) + system.damping * system.damping * xx.real()) - xb.real() +
                  system.constant;
    }
    const double gradient = std::abs(zetabar) / rhs_norm;
    if (run.record({iteration, gradient, objective}, result.x, image)) break;
    if (alpha == 0 || beta == 0) {
      result.stop_reason = "tolerance";
      break;
    }
    if (run.checkpoint_due(iteration))
      run.checkpoint(
          iteration, {result.x, u, v, h, hbar},
          {result.operator_norm_squared, result.scale, alpha, alphabar, zetabar, rho, rhobar, cbar, sbar});
  }
  return std::move(result);
}

}  // namespace

template <typename T>
SolverResult<T> lsmr(const LinearOperator<T>& A, std::type_identity_t<View<const std::complex<T>>> y,
                     const LsmrOptions<T>& options, Context& ctx) {
  if (!(options.lambda >= 0) || !std::isfinite(options.lambda))
    throw usage_error("lsmr: lambda must be zero or positive, got {}", options.lambda);
  detail::SolverRun<T> run("lsmr", options.iterations, options.tolerance, options.hooks, ctx);
  if (run.resumed()) {
    run.result.operator_norm_squared = run.resumed_scalar(0);
  } else if (options.lambda > 0) {
    // The norm comes of a few products, for which tables of AᴴA would not pay.
    run.result.operator_norm_squared =
        options.norm_squared > 0
            ? options.norm_squared
            : largest_eigenvalue(*A.normal({.toeplitz = NormalOptions::Toeplitz::off}, ctx), ctx);
  }
  DampedSystem<T> system{A, y};
  system.damping = std::sqrt(options.lambda * run.result.operator_norm_squared);
  return iterate(system, options.iterations, run, ctx);
}

template <typename T>
SolverResult<T> lsmr(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx) {
  detail::SolverRun<T> run("lsmr", options.iterations, options.tolerance, options.hooks, ctx);
  const detail::ScaledProblem<T> scaled(problem, run, ctx, false);
  if (!scaled.terms().empty())
    throw usage_error("lsmr cannot take the term '{}', which is not quadratic; use fista or admm",
                      scaled.terms()[0]->name);
  detail::check_on_samples("lsmr", problem, options);
  if (scaled.zero_data()) return scaled.finish_zero(run, ctx);
  // All quadratic terms together are one about the mean of their priors.
  const Array<std::complex<T>> prior = detail::mean_prior(problem, scaled, ctx);
  DampedSystem<T> system{*problem.model, problem.samples};
  system.damping = std::sqrt(scaled.quadratic() * scaled.norm_squared());
  system.prior = prior;
  system.rhs = scaled.rhs();
  system.objective = options.objective;
  system.constant = scaled.constant();
  run.result.operator_norm_squared = scaled.norm_squared();
  run.result.scale = scaled.scale();
  auto result = iterate(system, options.iterations, run, ctx);
  if (system.damping == 0 && !(problem.norm_squared > 0)) result.operator_norm_squared = 0;
  return result;
}

#define LARMOR_INSTANTIATE(T)                                                                                \
  template SolverResult<T> lsmr<T>(const LinearOperator<T>&,                                                 \
                                   std::type_identity_t<View<const std::complex<T>>>, const LsmrOptions<T>&, \
                                   Context&);                                                                \
  template SolverResult<T> lsmr<T>(const Problem<T>&, const SolverOptions<T>&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
