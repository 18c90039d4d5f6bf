#include <larmor/solvers/lambda_search.hpp>

#include <larmor/core/format_error.hpp>
#include <larmor/operators/basic.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace LARMOR_API larmor {
namespace {

// Solutions so near the minimum are compared, after so many iterations at most. Where that does not tell, the
// first one goes on until its risk changes by less than a part, in so many calls of the solver. Cross
// validation compares by small differences of the residuals: it needs solutions nearer to the minimum. So do
// errors that are so many times smaller: from then on what is left to the minimum is no more than they are,
// if it need not be less than the last number.
constexpr double comparable = 0.1, comparable_residuals = 0.01, settled = 0.03;
constexpr double far_smaller = 7, nearest = 2e-3;
constexpr Index most_iterations = 60;
constexpr int most_rounds = 3;
// Images with little error are found from larger weights, which leave less and less out: the other way takes
// far more iterations, for what was noise to go away. So many times larger; the first of them, which only
// tells that weights below are better, in so many calls; and so many trials more come to the same least one.
constexpr double from_above = 4;
constexpr int rounds_from_above = 2, trials_from_above = 2;
// Of the degrees of freedom's part of the noise at least so much is in the error (squared), whatever the risk
// is estimated to be.
constexpr double least_noise = 0.25;
// Risks of two terms are told apart beyond this part: solutions that are compared differ by 3 % of theirs,
// depending on where they started. Those that had to come nearer to their minima differ by less.
constexpr double told_apart = 0.035, told_apart_nearer = 0.01;

/// The solutions for the data and for the perturbed data, each started from that of the λ before.
template <typename T>
class Trials {
 public:
  using C = std::complex<T>;
  using State = std::shared_ptr<const SplittingState<T>>;

  Trials(const LinearOperator<T>& normal, View<const C> rhs, View<const C> probe,
         const LambdaSearchOptions& options, const SolveForLambda<T>& solve, Context& ctx,
         const WeightedSamples<T>* weighted)
      : normal_(normal),
        rhs_(rhs),
        probe_(probe),
        options_(options),
        solve_(solve),
        weighted_(weighted),
        ctx_(ctx),
        perturbed_rhs_(clone<const C>(rhs)),
        x_(rhs.shape(), ctx.device()),
        perturbed_x_(rhs.shape(), ctx.device()),
        work_(rhs.shape(), ctx.device()) {
    fill<T>(x_, 0, ctx);
    fill<T>(perturbed_x_, 0, ctx);
    if (!(options.noise_variance > 0)) distance_ = farthest_ = comparable_residuals;
    if (weighted) weights_ = Diagonal<T>(clone<const C>(weighted->weights));
    const double largest = max_magnitude<T>(rhs, ctx);
    const double probe_rms =
        std::sqrt(squared_norm<T>(probe, ctx) / static_cast<double>(std::max<Index>(probe.size(), 1)));
    if (!(largest > 0) || !(probe_rms > 0)) throw input_error("lambda auto: the data are zero everywhere");
    first_ = options.noise_variance > 0 ? std::sqrt(options.noise_variance) * probe_rms / largest : 1e-3;
    // A tenth of the noise: far above rounding, and within what the solution follows linearly.
    delta_ = 0.1 * first_ * largest / probe_rms;
    axpy<T>(delta_, probe, perturbed_rhs_, ctx);
  }

  double first() const { return first_; }

  /// Whether the error that is expected with this weight is so small that trials have to come nearer to their
  /// minima; then they begin anew.
  bool promises_little_error(double lambda) {
    begun_ = once(lambda);
    if (!come_nearer(*begun_)) return false;
    begun_.reset();
    state_ = perturbed_state_ = {};
    fill<T>(x_, 0, ctx_);
    fill<T>(perturbed_x_, 0, ctx_);
    distance_ = farthest_;
    nearer_ = false;
    first_rounds_ = rounds_from_above;
    return true;
  }
  LambdaTrial evaluate(double lambda) {
    LambdaTrial trial = begun_ ? *std::exchange(begun_, std::nullopt) : once(lambda);
    const int rounds = count_ == 0 ? first_rounds_ : most_rounds;
    for (int round = 1; round < rounds; ++round) {
      const bool too_far = come_nearer(trial);
      if (!too_far && (count_ > 0 || near_)) break;
      const double before = trial.risk;
      trial = once(lambda);
      if (std::abs(trial.risk - before) <= settled * std::abs(trial.risk)) break;
    }
    ctx_.reporter().progress(
        "lambda", ++count_, options_.most_trials,
        fmt::format("{:.2e}: {} {:.4g}", lambda,
                    options_.rule == LambdaRule::discrepancy ? "residual" : "risk",
                    options_.rule == LambdaRule::discrepancy ? trial.residual : trial.risk));
    return trial;
  }
  /// Whether the other term has clearly less risk than this trial; there is no way back to the first one.
  bool alternative_is_better_than(const LambdaTrial& trial) {
    alternative_ = true;
    state_ = perturbed_state_ = {};
    const double apart = nearer_ ? told_apart_nearer : told_apart;
    return evaluate(trial.lambda).risk < (1 - apart) * trial.risk;
  }

 private:
  // Whether the error that was estimated asks for solutions much nearer to their minima, from now on.
  bool come_nearer(const LambdaTrial& trial) {
    if (!(trial.error > 0)) return false;
    const double distance = std::max(trial.error, nearest);
    if (distance * far_smaller > distance_) return false;
    distance_ = distance;
    nearer_ = true;
    return true;
  }
  // What the solver makes of the iterate before.
  LambdaTrial once(double lambda) {
    ctx_.throw_if_cancelled();
    LambdaSolution<T> solution = solve(lambda, rhs_, x_, state_, most_iterations, distance_);
    x_ = std::move(solution.x);
    state_ = std::move(solution.state);
    near_ = solution.iterations < most_iterations;
    const bool discrepancy = options_.rule == LambdaRule::discrepancy;
    const auto [residual, size] = energies();
    LambdaTrial trial{lambda, 0, residual / options_.samples,
                      discrepancy ? 0 : divergence(lambda, solution.iterations) / options_.samples, 0};
    const double noise = options_.noise_variance;
    trial.risk = discrepancy ? trial.residual - noise
                 : noise > 0 ? trial.residual - noise + 2 * noise * trial.freedom
                             : trial.residual / ((1 - trial.freedom) * (1 - trial.freedom));
    if (discrepancy || !(size > 0)) return trial;
    // The value of cross validation is a variance, of the noise where λ is right.
    const double of_noise = std::max(noise > 0 ? noise : trial.risk, 0.0) * std::max(trial.freedom, 0.0);
    const double squared = std::max(noise > 0 ? trial.risk : of_noise, least_noise * of_noise);
    trial.error = std::sqrt(squared * options_.samples / size);
    return trial;
  }
  LambdaSolution<T> solve(double lambda, View<const C> rhs, View<const C> start, const State& state,
                          Index iterations, double distance) const {
    const auto b = SharedArray<C>::borrowed(rhs), x = SharedArray<C>::borrowed(start);
    return solve_({lambda, b, x, state, iterations, distance, alternative_});
  }
  struct Energies {
    double residual, size;
  };
  // ‖W^½(Ax − y)‖² and ‖W^½ A x‖²
  Energies energies() {
    if (weighted_) {
      const auto counted = [&](View<const C> samples) {
        const double own = dot<T>(samples, weights_.apply(samples, ctx_), ctx_).real();
        return weighted_->sum ? weighted_->sum(own) : own;
      };
      Array<C> samples = weighted_->model.apply(x_, ctx_);
      const double size = counted(samples);
      axpy<T>(-1, weighted_->samples, samples, ctx_);
      return {counted(samples), size};
    }
    normal_.apply(x_, work_, ctx_);
    const auto [quadratic, linear] = dots<T>({{x_, work_}, {x_, rhs_}}, ctx_);
    return {std::max(0.0, quadratic.real() - 2 * linear.real() + options_.data_energy), quadratic.real()};
  }
  double divergence(double lambda, Index iterations) {
    LambdaSolution<T> solution = solve(lambda, perturbed_rhs_, perturbed_x_, perturbed_state_, iterations, 0);
    perturbed_x_ = std::move(solution.x);
    perturbed_state_ = std::move(solution.state);
    copy<T>(perturbed_x_, work_, ctx_);
    axpy<T>(-1, x_, work_, ctx_);
    return dot<T>(weighted_ ? View<const C>(weighted_->probe) : probe_, work_, ctx_).real() / delta_;
  }

  const LinearOperator<T>& normal_;
  View<const C> rhs_, probe_;
  const LambdaSearchOptions& options_;
  const SolveForLambda<T>& solve_;
  const WeightedSamples<T>* weighted_;
  Operator<T> weights_;  // as a diagonal
  Context& ctx_;
  Array<C> perturbed_rhs_, x_, perturbed_x_, work_;
  State state_, perturbed_state_;
  double first_ = 0, delta_ = 0;
  std::optional<LambdaTrial> begun_;                     // the first of them, if it has been tried
  double distance_ = comparable, farthest_ = distance_;  // that solutions have to come to; at first
  bool nearer_ = false;                                  // than was asked for at first
  int count_ = 0, first_rounds_ = most_rounds;
  bool near_ = false;  // the last solution stopped by itself
  bool alternative_ = false;
};

// Where a search ends without a minimum, weights count as good as the best one within this part of its value.
constexpr double as_good = 0.01;

// The largest of those: it lets the least noise through. What is minimised is the risk, or how far the
// residual is from that of the noise.
double safest(const std::vector<LambdaTrial>& trials, LambdaRule rule) {
  const auto value = [&](const LambdaTrial& trial) {
    return rule == LambdaRule::discrepancy ? std::abs(trial.risk) : trial.risk;
  };
  double least = std::numeric_limits<double>::infinity(), lambda = 0;
  for (const LambdaTrial& trial : trials) least = std::min(least, value(trial));
  for (const LambdaTrial& trial : trials)
    if (value(trial) <= least + as_good * std::abs(least)) lambda = std::max(lambda, trial.lambda);
  return lambda;
}

// Where the parabola through three points, equally spaced in log λ around the lowest, has its vertex.
double vertex(const LambdaTrial& below, const LambdaTrial& lowest, const LambdaTrial& above) {
  const double left = below.risk - lowest.risk, right = above.risk - lowest.risk;
  const double shift = left + right > 0 ? 0.5 * (left - right) / (left + right) : 0;
  return lowest.lambda * std::pow(above.lambda / lowest.lambda, shift);
}

// The residual grows with λ: from both sides to where it is that of the noise.
template <typename T>
LambdaChoice meet_discrepancy(Trials<T>& trials, const LambdaSearchOptions& options) {
  LambdaChoice choice;
  choice.criterion = LambdaCriterion::discrepancy;
  const auto try_at = [&](double lambda) {
    choice.trials.push_back(trials.evaluate(lambda));
    return choice.trials.back();
  };
  const auto may_go_on = [&] { return static_cast<int>(choice.trials.size()) < options.most_trials; };
  LambdaTrial below = try_at(trials.first()), above = below;
  while (below.risk > 0 && may_go_on()) above = below, below = try_at(below.lambda / 2);
  while (above.risk <= 0 && may_go_on()) below = above, above = try_at(above.lambda * 2);
  choice.interior = below.risk <= 0 && above.risk > 0;
  if (!choice.interior) {
    choice.lambda = safest(choice.trials, options.rule);
    return choice;
  }
  // Along the chord of the residual over log λ.
  const auto crossing = [&] {
    return below.lambda * std::pow(above.lambda / below.lambda, below.risk / (below.risk - above.risk));
  };
  constexpr double enough = 0.02;
  choice.lambda = crossing();
  while (may_go_on()) {
    const LambdaTrial trial = try_at(choice.lambda);
    if (std::abs(trial.risk) <= enough * options.noise_variance) break;
    (trial.risk > 0 ? above : below) = trial;
    choice.lambda = crossing();
  }
  return choice;
}

}  // namespace

const char* to_string(LambdaCriterion criterion) {
  constexpr const char* names[] = {"none", "SURE", "GCV", "discrepancy", "noise alone"};
  return names[static_cast<std::size_t>(criterion)];
}

template <typename T>
LambdaChoice choose_lambda(const LinearOperator<T>& normal,
                           std::type_identity_t<View<const std::complex<T>>> rhs,
                           std::type_identity_t<View<const std::complex<T>>> probe,
                           const LambdaSearchOptions& options, const SolveForLambda<T>& solve, Context& ctx,
                           const WeightedSamples<T>* weighted) {
  if (!(options.samples > 0)) throw usage_error("choose_lambda: the number of samples must be positive");
  const bool discrepancy = options.rule == LambdaRule::discrepancy;
  if (discrepancy && !(options.noise_variance > 0))
    throw usage_error(
        "lambda discrepancy: the noise level is not known; give a noise scan, or auto, which needs none");
  if (weighted && discrepancy) throw usage_error("lambda discrepancy: samples count alike");
  Trials<T> trials(normal, rhs, probe, options, solve, ctx, weighted);
  if (discrepancy) return meet_discrepancy(trials, options);
  LambdaChoice choice;
  choice.criterion = options.noise_variance > 0 ? LambdaCriterion::sure : LambdaCriterion::gcv;
  std::vector<LambdaTrial> sorted;  // ascending in λ, always without a gap
  const auto try_at = [&](double lambda) {
    const LambdaTrial trial = trials.evaluate(lambda);
    choice.trials.push_back(trial);
    sorted.insert(lambda < (sorted.empty() ? lambda : sorted.front().lambda) ? sorted.begin() : sorted.end(),
                  trial);
  };
  double begin = 2 * trials.first();
  int most_trials = options.most_trials;
  if (trials.promises_little_error(begin)) {
    begin *= from_above;
    most_trials += trials_from_above;
  }
  try_at(begin);
  try_at(begin / 2);
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
                                  : safest(choice.trials, options.rule);
  if (choice.interior && options.alternative && options.alternative())
    choice.alternative = trials.alternative_is_better_than(sorted[lowest]);
  return choice;
}

#define LARMOR_INSTANTIATE(T)                                                        \
  template LambdaChoice choose_lambda<T>(                                            \
      const LinearOperator<T>&, std::type_identity_t<View<const std::complex<T>>>,   \
      std::type_identity_t<View<const std::complex<T>>>, const LambdaSearchOptions&, \
      const SolveForLambda<T>&, Context&, const WeightedSamples<T>*);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
