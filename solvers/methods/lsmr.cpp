#include <larmor/core/format_error.hpp>
#include <larmor/solvers/methods/lsmr.hpp>
#include <larmor/solvers/problem/distance_estimate.hpp>
#include <larmor/solvers/problem/scaled_problem.hpp>

#include <cmath>
#include <vector>

namespace LARMOR_API larmor {
namespace {

// A plane rotation that maps (a, b) to (r, 0).
struct Rotation {
  Rotation(double a, double b) : r(std::hypot(a, b)), c(r > 0 ? a / r : 1), s(r > 0 ? b / r : 0) {}
  double r, c, s;
};

/// Throws Error (usage) if the problem has no model, there is a first iterate, or shapes do not fit.
template <typename T>
void check_model(const Problem<T>& problem, const SolverOptions<T>& options) {
  if (!problem.model || problem.samples.empty())
    throw usage_error("lsmr needs the model and its samples, which the problem does not have");
  if (!options.start.empty())
    throw usage_error("lsmr starts from zero or from the prior of an l2 term; do not give a first iterate");
  const LinearOperator<T>& A = problem.model;
  if (!(A.domain() == problem.normal.domain()) || !(A.codomain() == problem.samples.shape()))
    throw usage_error("lsmr: the model {} maps {} to {}, the image has shape {} and the samples {}", A.name(),
                      A.domain().to_string(), A.codomain().to_string(), problem.normal.domain().to_string(),
                      problem.samples.shape().to_string());
}

/// Σ λ_i p_i / Σ λ_i of the priors p_i, in the image's units; empty if there are none.
template <typename T>
Array<std::complex<T>> mean_prior(const Problem<T>& problem, const detail::ScaledProblem<T>& scaled,
                                  Context& ctx) {
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

}  // namespace

// ‖Ax − y‖² + damping²‖x − x₀‖², from x = x₀: all quadratic terms combine into one around the mean x₀ of
// their priors. Names of scalars as in Fong & Saunders (2011), section 2.8, with the damping of section 2.7.
template <typename T>
SolverResult<T> lsmr(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx) {
  using C = std::complex<T>;
  detail::SolverRun<T> run("lsmr", options.iterations, options.tolerance, options.hooks, ctx);
  const detail::ScaledProblem<T> scaled(problem, run, SolvableTerms::quadratic, ctx);
  check_model(problem, options);
  if (scaled.zero_data()) return scaled.finish_zero(run, ctx);
  const Array<C> prior = mean_prior(problem, scaled, ctx);
  const double damping = std::sqrt(scaled.quadratic() * scaled.norm_squared());
  SolverResult<T>& result = run.result;
  // Values for a checkpoint; ‖A‖² is reported only if it was needed.
  const double norm_squared = scaled.norm_squared();
  if (damping > 0 || problem.norm_squared > 0) result.operator_norm_squared = norm_squared;
  result.scale = scaled.scale();
  const LinearOperator<T>& A = problem.model;
  const Shape& image = A.domain();
  result.x = Array<C>(image, ctx.device());
  fill<T>(result.x, 0, ctx);

  Array<C> u = clone(problem.samples.view()), v(image, ctx.device()), h(image, ctx.device()),
           hbar(image, ctx.device());
  fill<T>(hbar, 0, ctx);
  A.reserve(ctx);
  Array<C> Ax;
  if (options.objective) Ax = Array<C>(u.shape(), ctx.device());
  // Normalises; returns 0 if the vector is zero.
  const auto normalise = [&](View<C> vector) {
    const double norm = std::sqrt(squared_norm<T>(vector, ctx));
    if (norm > 0) scale<T>(1 / norm, vector, ctx);
    return norm;
  };
  if (!run.resumed() && !prior.empty()) {
    copy<T>(prior, result.x, ctx);
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
    result.stop_reason = !prior.empty() ? StopReason::tolerance : StopReason::zero_data;  // x₀ is the minimum
    return std::move(result);
  }
  const double rhs_norm = std::sqrt(squared_norm<T>(scaled.rhs(), ctx));
  double alphabar = alpha, zetabar = gradient_norm, rho = 1, rhobar = 1, cbar = 1, sbar = 0;
  // LSQR's iterates are in the same subspaces, equal those of conjugate gradients, and are at least as close:
  // with φ and ρ as in Paige & Saunders (1982) their steps are φ/ρ h, and ‖x − minimum‖² in the norm of AᴴA +
  // damping² decreases by φ².
  double phibar = data_norm;
  detail::DistanceEstimate distance;
  Index done = 0;
  if (run.resumed()) {
    double* const scalars[] = {&alpha, &alphabar, &zetabar, &rho, &rhobar, &cbar, &sbar, &phibar};
    for (std::size_t i = 0; i < std::size(scalars); ++i) *scalars[i] = run.resumed_scalar(i + 2);
    done = run.restore({result.x, u, v, h, hbar});
    for (std::size_t i = std::size(scalars) + 2, k = 0; k < static_cast<std::size_t>(done); ++k, i += 3)
      distance.add(run.resumed_scalar(i), run.resumed_scalar(i + 1), run.resumed_scalar(i + 2));
  } else {
    copy<T>(v, h, ctx);
  }

  for (Index iteration = done + 1; iteration <= options.iterations; ++iteration) {
    ctx.throw_if_cancelled();
    scale<T>(-alpha, u.view(), ctx);
    A.apply(v, u, ctx, Write::accumulate);
    const double beta = normalise(u);
    scale<T>(-beta, v.view(), ctx);
    A.adjoint(u, v, ctx, Write::accumulate);
    const auto [vv, hh] = dots<T>({{v, v}, {h, h}}, ctx);
    alpha = std::sqrt(vv.real());
    if (alpha > 0) scale<T>(1 / alpha, v.view(), ctx);

    const Rotation damped(alphabar, damping);
    const double rho_before = rho, rhobar_before = rhobar;
    const Rotation first(damped.r, beta);
    rho = first.r;
    const double phi = first.c * damped.c * phibar;
    phibar *= first.s * damped.c;
    distance.add(1, phi * phi, rho * rho / hh.real());
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
    if (options.objective) {
      A.apply(result.x, Ax, ctx);
      const auto [xb, xx] = dots<T>({{result.x, scaled.rhs()}, {result.x, result.x}}, ctx);
      objective =
          0.5 * (squared_norm<T>(Ax, ctx) + damping * damping * xx.real()) - xb.real() + scaled.constant();
    }
    const double gradient = std::abs(zetabar) / rhs_norm;
    if (run.record({iteration, gradient, objective}, result.x, image)) break;
    if (alpha == 0 || beta == 0) {
      result.stop_reason = StopReason::tolerance;
      break;
    }
    if (run.checkpoint_due(iteration)) {
      std::vector<double> numbers{norm_squared, result.scale, alpha, alphabar, zetabar,
                                  rho,          rhobar,       cbar,  sbar,     phibar};
      numbers.insert(numbers.end(), distance.numbers().begin(), distance.numbers().end());
      run.checkpoint(iteration, {result.x, u, v, h, hbar}, numbers);
    }
  }
  detail::tell_distance(distance, options.distance, squared_norm<T>(result.x, ctx), result);
  return std::move(result);
}

template SolverResult<float> lsmr<float>(const Problem<float>&, const SolverOptions<float>&, Context&);
template SolverResult<double> lsmr<double>(const Problem<double>&, const SolverOptions<double>&, Context&);

}  // namespace larmor
