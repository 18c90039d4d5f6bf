#include <larmor/core/vectors/replay.hpp>
#include <larmor/solvers/methods/fista.hpp>
#include <larmor/solvers/problem/scaled_problem.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

// Power iteration approaches ‖A‖² from below.
constexpr double step_margin = 1.02;
// In the mean of the iterates, an iterate's weight grows about with the third power of its number, and later
// ones with at least this power: older ones would hold the mean back.
constexpr double growth = 3, least_part = 0.16;
// The mean is compared with the last iterate in the functions of this many iterations: they include each
// shift of the finest wavelets.
constexpr Index compared = 4;

}  // namespace

template <typename T>
SolverResult<T> fista(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx) {
  using C = std::complex<T>;
  detail::SolverRun<T> run("fista", options.iterations, options.tolerance, options.hooks, ctx,
                           options.distance);
  const detail::ScaledProblem<T> scaled(problem, run, SolvableTerms::one_unitary, ctx);
  const auto& terms = scaled.terms();
  run.varies = scaled.varies();
  if (scaled.zero_data()) return scaled.finish_zero(run, ctx);

  // Iterate and previous iterate, and AᴴA of both; the roles alternate.
  Array<C> x[2], h[2], u(scaled.image(), ctx.device());
  for (int side = 0; side < 2; ++side) {
    x[side] = Array<C>(scaled.image(), ctx.device());
    h[side] = Array<C>(scaled.image(), ctx.device());
  }
  // For functions that vary: iterates wander around the minimum of their average, and their mean is closer to
  // it.
  Array<C> mean;
  if (run.varies && !options.keep_state) mean = Array<C>(scaled.image(), ctx.device());
  std::vector<Array<C>> copies(terms.size());
  if (!terms.empty() && terms[0]->transform)
    copies[0] = Array<C>(terms[0]->transform.codomain(), ctx.device());
  ctx.arena().reserve(scaled.scratch_bytes(ctx));
  const auto apply_normal = [&](int side) { scaled.normal().apply(x[side], h[side], ctx); };
  Replay replays[2] = {Replay([&] { apply_normal(0); }, ctx), Replay([&] { apply_normal(1); }, ctx)};

  const double L = step_margin + scaled.quadratic(), q = scaled.quadratic();
  const double c = scaled.curvature(), b = scaled.rhs_factor();
  run.result.step_size = 1 / (L * scaled.norm_squared());
  double momentum = 1, beta = 0;
  Index done = 0;
  int now = 0;
  if (run.resumed()) {
    std::vector<View<C>> vectors{x[0], x[1]};
    if (!mean.empty()) vectors.push_back(mean);
    done = run.restore(vectors);
    momentum = run.resumed_scalar(2);
    beta = run.resumed_scalar(3);
    apply_normal(0);
    apply_normal(1);
  } else {
    if (scaled.start(options.start, x[0], ctx))
      apply_normal(0);
    else
      fill<T>(h[0], 0, ctx);
    copy<T>(x[0], x[1], ctx);
    copy<T>(h[0], h[1], ctx);
    if (!mean.empty()) fill<T>(mean, 0, ctx);
  }

  for (Index iteration = done + 1; iteration <= options.iterations; ++iteration) {
    ctx.throw_if_cancelled();
    // u = w − ∇f(w)/L at w = x + β(x − x₋)
    const double stay = 1 - q / L;
    combine<T>({{stay * (1 + beta), x[now]},
                {-stay * beta, x[1 - now]},
                {-c / L * (1 + beta), h[now]},
                {c / L * beta, h[1 - now]},
                {b / L, scaled.rhs()}},
               u, ctx);
    const int next = 1 - now;
    if (terms.empty()) {
      copy<T>(u, x[next], ctx);
    } else if (terms[0]->transform) {
      terms[0]->transform.apply(u, copies[0], ctx);
      terms[0]->function->apply(terms[0]->lambda / L, copies[0], copies[0], ctx, iteration - 1);
      terms[0]->transform.adjoint(copies[0], x[next], ctx);
    } else {
      terms[0]->function->apply(terms[0]->lambda / L, u, x[next], ctx, iteration - 1);
    }
    now = next;
    if (!mean.empty()) {
      const double part = std::max(least_part, (growth + 1) / (static_cast<double>(iteration) + growth));
      combine<T>({{1 - part, mean}, {part, x[now]}}, mean, ctx);
    }
    replays[now]();
    ++run.result.normal_applies;
    const Array<C>& before = x[1 - now];
    // L(u − x) is a subgradient of λg at x, so that v = L(u − x) + ∇f(x) is one of the objective.
    combine<T>({{L, u}, {q - L, x[now]}, {c, h[now]}, {-b, scaled.rhs()}}, u, ctx);
    const auto [vv, vx, v_before, xh, xb, xx] = dots<T>(
        {{u, u}, {u, x[now]}, {u, before}, {x[now], h[now]}, {x[now], scaled.rhs()}, {x[now], x[now]}}, ctx);
    const double objective = options.objective ? scaled.objective(xh.real(), xb.real(), xx.real(),
                                                                  scaled.others(x[now], copies, ctx))
                                               : std::nan("");
    const bool stop = run.record({iteration, std::sqrt(vv.real()) / scaled.rhs_norm(), objective}, x[now],
                                 scaled.image(), scaled.to_image());
    if (stop) break;
    // By convexity the objective has decreased if v·(x − x₋) <= 0.
    if (vx.real() > v_before.real()) {
      momentum = 1;
      beta = 0;
      run.restarted();
    } else {
      const double following = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
      beta = (momentum - 1) / following;
      momentum = following;
    }
    if (run.checkpoint_due(iteration)) {
      std::vector<View<const C>> vectors{x[now], x[1 - now]};
      if (!mean.empty()) vectors.push_back(mean);
      run.checkpoint(iteration, vectors, {scaled.norm_squared(), scaled.scale(), momentum, beta});
    }
  }
  if (mean.empty() || options.iterations == 0) return scaled.finish(run, x[now], ctx);
  // Before convergence the mean lags behind.
  const auto objective_at = [&](View<const C> at, View<const C> H_at) {
    double sum = 0;
    for (Index i = 0; i < compared; ++i) sum += scaled.others(at, copies, ctx, i);
    return scaled.objective(at, H_at, sum / compared, true, ctx);
  };
  scaled.normal().apply(mean, h[1 - now], ctx);
  ++run.result.normal_applies;
  const bool mean_is_lower = objective_at(mean, h[1 - now]) < objective_at(x[now], h[now]);
  return scaled.finish(run, mean_is_lower ? mean : x[now], ctx);
}

template SolverResult<float> fista<float>(const Problem<float>&, const SolverOptions<float>&, Context&);
template SolverResult<double> fista<double>(const Problem<double>&, const SolverOptions<double>&, Context&);

}  // namespace larmor
