#include <larmor/solvers/lambda_search.hpp>

#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/vector_ops.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace LARMOR_API larmor {
namespace {

constexpr int most_trials = 13;  // halvings from the noise down to 1/4096 of it

/// The solutions for the data and for the perturbed data, each started from that for the previous λ.
template <typename T>
class Trials {
 public:
  using C = std::complex<T>;
  using State = std::shared_ptr<const SplittingState<T>>;

  Trials(const LinearOperator<T>& normal, View<const C> rhs, View<const C> probe,
         const LambdaSearchOptions& options, const SolveForLambda<T>& solve, Context& ctx)
      : normal_(normal),
        rhs_(rhs),
        probe_(probe),
        options_(options),
        solve_(solve),
        ctx_(ctx),
        perturbed_rhs_(clone<const C>(rhs)),
        work_(rhs.shape(), ctx.device()) {
    for (Solution* solution : {&own_, &perturbed_}) {
      solution->x = Array<C>(rhs.shape(), ctx.device());
      fill<T>(solution->x, 0, ctx);
    }
    const double largest = max_magnitude<T>(rhs, ctx);
    const double probe_rms =
        std::sqrt(squared_norm<T>(probe, ctx) / static_cast<double>(std::max<Index>(probe.size(), 1)));
    if (!(largest > 0) || !(probe_rms > 0)) throw input_error("lambda auto: the data are zero everywhere");
    first_ = options.noise_variance > 0 ? std::sqrt(options.noise_variance) * probe_rms / largest : 1e-3;
    // A tenth of the noise: far above rounding, and small enough for the solution to respond linearly.
    delta_ = 0.1 * first_ * largest / probe_rms;
    axpy<T>(delta_, probe, perturbed_rhs_, ctx);
  }

  double first() const { return first_; }

  LambdaTrial evaluate(double lambda, bool alternative = false) {
    ctx_.throw_if_cancelled();
    if (alternative) own_.state = perturbed_.state = {};
    const Index done = go_on(own_, lambda, rhs_, 0, alternative);
    const double noise = options_.noise_variance, residual = squared_residual() / options_.weight;
    go_on(perturbed_, lambda, perturbed_rhs_, done, alternative);
    combine<T>({{1, perturbed_.x}, {-1, own_.x}}, work_, ctx_);
    const double freedom = dot<T>(probe_, work_, ctx_).real() / delta_ / options_.weight;
    const double risk =
        noise > 0 ? residual - noise + 2 * noise * freedom : residual / std::pow(1 - freedom, 2);
    ctx_.reporter().progress("lambda", ++count_, most_trials,
                             fmt::format("{:.2e}: risk {:.4g}, freedom {:.2g}", lambda, risk, freedom));
    return {lambda, risk, residual, freedom};
  }

 private:
  struct Solution {
    Array<C> x;
    State state;
  };

  Index go_on(Solution& solution, double lambda, View<const C> rhs, Index iterations,
              bool alternative) const {
    const auto b = SharedArray<C>::borrowed(rhs), x = SharedArray<C>::borrowed(solution.x);
    LambdaSolution<T> next = solve_({lambda, b, x, solution.state, iterations, alternative});
    solution.x = std::move(next.x);
    solution.state = std::move(next.state);
    return next.iterations;
  }

  // ‖√w(Ax − y)‖²
  double squared_residual() {
    normal_.apply(own_.x, work_, ctx_);
    const auto [quadratic, linear] = dots<T>({{own_.x, work_}, {own_.x, rhs_}}, ctx_);
    return std::max(0.0, quadratic.real() - 2 * linear.real() + options_.data_energy);
  }

  const LinearOperator<T>& normal_;
  View<const C> rhs_, probe_;
  const LambdaSearchOptions& options_;
  const SolveForLambda<T>& solve_;
  Context& ctx_;
  Array<C> perturbed_rhs_, work_;
  Solution own_, perturbed_;
  double first_ = 0, delta_ = 0;
  int count_ = 0;
};

// Values within this fraction of the smallest one count as equally good.
constexpr double as_good = 0.01;

// The largest of those λ: it passes the least noise.
double safest(const std::vector<LambdaTrial>& trials) {
  double least = std::numeric_limits<double>::infinity(), lambda = 0;
  for (const LambdaTrial& trial : trials) least = std::min(least, trial.risk);
  for (const LambdaTrial& trial : trials)
    if (trial.risk <= least + as_good * std::abs(least)) lambda = std::max(lambda, trial.lambda);
  return lambda;
}

// Vertex of the parabola through three points, equally spaced in log λ around the lowest.
double vertex(const LambdaTrial& below, const LambdaTrial& lowest, const LambdaTrial& above) {
  const double left = below.risk - lowest.risk, right = above.risk - lowest.risk;
  const double shift = left + right > 0 ? 0.5 * (left - right) / (left + right) : 0;
  return lowest.lambda * std::pow(above.lambda / lowest.lambda, shift);
}

}  // namespace

const char* to_string(LambdaCriterion criterion) {
  constexpr const char* names[] = {"none", "SURE", "GCV", "noise alone"};
  return names[static_cast<std::size_t>(criterion)];
}

template <typename T>
LambdaChoice choose_lambda(const LinearOperator<T>& normal,
                           std::type_identity_t<View<const std::complex<T>>> rhs,
                           std::type_identity_t<View<const std::complex<T>>> probe,
                           const LambdaSearchOptions& options, const SolveForLambda<T>& solve, Context& ctx) {
  if (!(options.weight > 0)) throw usage_error("choose_lambda: the samples' weights must be positive");
  Trials<T> trials(normal, rhs, probe, options, solve, ctx);
  LambdaChoice choice;
  choice.criterion = options.noise_variance > 0 ? LambdaCriterion::sure : LambdaCriterion::gcv;
  std::vector<LambdaTrial> sorted;  // ascending in λ, always without a gap
  const auto try_at = [&](double lambda) {
    const LambdaTrial trial = trials.evaluate(lambda);
    choice.trials.push_back(trial);
    sorted.insert(lambda < (sorted.empty() ? lambda : sorted.front().lambda) ? sorted.begin() : sorted.end(),
                  trial);
  };
  try_at(trials.first());
  try_at(trials.first() / 2);
  const auto lowest_risk = [&] {
    const auto lowest =
        std::min_element(sorted.begin(), sorted.end(),
                         [](const LambdaTrial& a, const LambdaTrial& b) { return a.risk < b.risk; });
    return static_cast<std::size_t>(lowest - sorted.begin());
  };
  const auto enclosed = [&](std::size_t lowest) { return lowest > 0 && lowest + 1 < sorted.size(); };
  std::size_t lowest = lowest_risk();
  while (!enclosed(lowest) && static_cast<int>(sorted.size()) < most_trials) {
    try_at(lowest == 0 ? sorted.front().lambda / 2 : sorted.back().lambda * 2);
    lowest = lowest_risk();
  }
  choice.interior = enclosed(lowest);
  choice.lambda = choice.interior ? vertex(sorted[lowest - 1], sorted[lowest], sorted[lowest + 1])
                                  : safest(choice.trials);
  if (choice.interior && options.alternative)
    choice.alternative =
        trials.evaluate(sorted[lowest].lambda, true).risk < (1 - as_good) * sorted[lowest].risk;
  return choice;
}

#define LARMOR_INSTANTIATE(T)                                                               \
  template LambdaChoice choose_lambda<T>(const LinearOperator<T>&,                          \
                                         std::type_identity_t<View<const std::complex<T>>>, \
                                         std::type_identity_t<View<const std::complex<T>>>, \
                                         const LambdaSearchOptions&, const SolveForLambda<T>&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
