#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/replay.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/methods/conjugate_gradient_loop.hpp>
#include <larmor/solvers/problem/distance_estimate.hpp>
#include <larmor/solvers/problem/scaled_problem.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace LARMOR_API larmor {
namespace {

// The first residuals, to which later ones are kept orthogonal.
template <typename T>
class FirstResiduals {
 public:
  using C = std::complex<T>;
  explicit FirstResiduals(Index most) : most_(static_cast<std::size_t>(most)) {}

  // Removes from the residual what rounding has brought back, and stores it if it is one of the first.
  void orthogonalise(View<C> residual, Context& ctx) {
    for (const auto& [vector, squared_norm] : kept_)
      axpy<T>(-dot<T>(vector, residual, ctx) / squared_norm, vector, residual, ctx);
    if (kept_.size() < most_)
      if (const double rr = squared_norm<T>(residual, ctx); rr > 0) kept_.push_back({clone(residual), rr});
  }

 private:
  struct Kept {
    Array<C> vector;
    double squared_norm;
  };
  const std::size_t most_;
  std::vector<Kept> kept_;
};

}  // namespace

template <typename T>
SolverResult<T> conjugate_gradient(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx) {
  using C = std::complex<T>;
  detail::SolverRun<T> run("cg", options.iterations, options.tolerance, options.hooks, ctx);
  const detail::ScaledProblem<T> scaled(problem, run, SolvableTerms::quadratic, ctx);
  if (scaled.zero_data()) return scaled.finish_zero(run, ctx);
  scaled.check_preconditioner(options, "cg");
  scaled.check_start(options.start, ctx);
  if (options.orthogonal_to_first > 0 &&
      (options.preconditioner || options.hooks.resume || options.hooks.checkpoint_every > 0))
    throw usage_error("cg: orthogonal_to_first does not work with a preconditioner or checkpoints");

  // (AᴴA + shift) x = b, in the units of the data.
  SolverResult<T>& result = run.result;
  result.operator_norm_squared = scaled.norm_squared();
  result.scale = scaled.scale();
  const LinearOperator<T>& normal = scaled.normal();
  const Shape& image = scaled.image();
  const double shift = scaled.quadratic() * scaled.norm_squared();
  const double rhs_norm = std::sqrt(squared_norm<T>(scaled.rhs(), ctx));
  result.x = Array<C>(image, ctx.device());
  fill<T>(result.x, 0, ctx);
  detail::ConjugateGradientLoop<T> loop(image, options.preconditioner, ctx);
  Array<C>&r = loop.residual(), &p = loop.direction(), &q = loop.product();
  copy<T>(scaled.rhs(), r, ctx);
  if (options.preconditioner)
    ctx.arena().reserve(std::max(normal.scratch_bytes(ctx), options.preconditioner.scratch_bytes(ctx)));
  Replay apply_normal(
      [&] {
        normal.apply(p, q, ctx);
        if (shift > 0) axpy<T>(shift, p, q, ctx);
      },
      ctx);
  FirstResiduals<T> first_residuals(options.orthogonal_to_first);
  double largest_quotient = 0, quotient = 0, squared_size = 0;
  detail::DistanceEstimate distance;
  const bool measures_distance = !options.preconditioner;
  Index done = 0;
  if (run.resumed()) {
    done = run.restore({result.x, r, p});
    loop.resume(run.resumed_scalar(2));
    largest_quotient = run.resumed_scalar(3);
    for (std::size_t i = 4; i < 4 + 3 * static_cast<std::size_t>(done); i += 3)
      distance.add(run.resumed_scalar(i), run.resumed_scalar(i + 1), run.resumed_scalar(i + 2));
  } else {
    double rr = rhs_norm * rhs_norm;
    if (!options.start.empty()) {
      copy<T>(options.start.view(), result.x, ctx);
      copy<T>(options.start.view(), p, ctx);
      apply_normal();
      ++result.normal_applies;
      axpy<T>(-1, q, r, ctx);
      rr = squared_norm<T>(r, ctx);
    }
    first_residuals.orthogonalise(r, ctx);
    loop.begin(rr, ctx);
  }
  const auto multiply = [&] {
    apply_normal();
    ++result.normal_applies;
    const auto [pq, pp] = dots<T>({{p, q}, {p, p}}, ctx);
    quotient = pq.real() / pp.real();
    largest_quotient = std::max(largest_quotient, quotient);
    const double smallest_quotient = shift > 0 ? 0 : options.null_space * largest_quotient;
    if (quotient > smallest_quotient) return pq.real();
    result.stop_reason = StopReason::null_space;  // p lies in it to rounding: the minimum is reached
    return 0.0;
  };
  const auto measure = [&](Index iteration) -> std::optional<double> {
    first_residuals.orthogonalise(r, ctx);
    loop.precondition();
    const auto [residual, xb, xr, following, xx] = dots<T>(
        {{r, r}, {result.x, scaled.rhs()}, {result.x, r}, {r, loop.preconditioned()}, {result.x, result.x}},
        ctx);
    squared_size = xx.real();
    // With r = b − Hx the part ½xᴴHx − Re xᴴb of the objective equals −½Re xᴴ(b + r).
    const double decrease = 0.5 * (xb.real() + xr.real());  // since x = 0
    const double gradient = std::sqrt(residual.real()) / rhs_norm;
    if (run.record({iteration, gradient, scaled.constant() - decrease}, result.x, image)) return {};
    const bool near = shift > 0 && measures_distance &&
                      distance.squared() < options.distance * options.distance * squared_size;
    result.energy = distance.energy() / (2 * decrease);
    if (near || result.energy < options.energy) {
      result.stop_reason = StopReason::distance;
      return {};
    }
    // Far below rounding, x no longer changes, and denormal numbers only take time.
    constexpr double rounding = 1e-3 * std::numeric_limits<T>::epsilon();
    if (gradient > rounding) return following.real();
    result.stop_reason = StopReason::tolerance;
    return {};
  };
  const auto keep = [&](Index iteration) {
    if (!run.checkpoint_due(iteration)) return;
    std::vector<double> numbers{result.operator_norm_squared, result.scale, loop.present(), largest_quotient};
    numbers.insert(numbers.end(), distance.numbers().begin(), distance.numbers().end());
    run.checkpoint(iteration, {result.x, r, p}, numbers);
  };
  const auto move = [&](double step) {
    axpy<T>(step, p, result.x, ctx);
    distance.add(step, loop.present(), quotient);
  };
  loop.run(done, options.iterations, multiply, move, measure, keep, ctx);
  if (measures_distance) detail::tell_distance(distance, options.distance, squared_size, result);
  if (shift == 0 && !(problem.norm_squared > 0)) result.operator_norm_squared = 0;  // none was needed
  return std::move(result);
}

template SolverResult<float> conjugate_gradient<float>(const Problem<float>&, const SolverOptions<float>&,
                                                       Context&);
template SolverResult<double> conjugate_gradient<double>(const Problem<double>&, const SolverOptions<double>&,
                                                         Context&);

}  // namespace larmor
