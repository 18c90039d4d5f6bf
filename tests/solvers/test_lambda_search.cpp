#include "device_cases.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/solvers/lambda_search.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/regularizers/l2.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace larmor::test {
namespace {

using D = std::complex<double>;

// y_i = a_i x_i + n_i with |a| decreasing from 1, and x smooth: the risk of Tikhonov's solution is known in
// closed form.
template <typename Case>
class LambdaSearch : public OnDevice<Case> {
 protected:
  using T = typename Case::T;
  using C = std::complex<T>;
  static constexpr Index count = 4096;

  LambdaSearch() { measure(sigma); }

  void measure(double noise) {
    sigma = noise;
    energy = 0;
    std::mt19937 generator(7);
    std::normal_distribution<double> gauss(0, std::sqrt(0.5));
    std::uniform_int_distribution<int> sign(0, 1);
    for (Index i = 0; i < count; ++i) {
      const double part = static_cast<double>(i) / count;
      a[i] = static_cast<T>(std::exp(-3 * part));
      truth[i] = D(gauss(generator), gauss(generator)) * 0.2 / (1 + 20 * part);
      const D y = D(a[i]) * truth[i] + sigma * D(gauss(generator), gauss(generator));
      energy += std::norm(y);
      rhs[i] = C(D(a[i]) * y);
      probe[i] = a[i] * static_cast<T>(sign(generator) ? 1 : -1);
    }
  }

  /// Weight of a sample if samples have different weights: larger for samples that are less well determined.
  static double weight(Index i, double power) {
    const double part = static_cast<double>(i) / count;
    return std::exp(power * part) * power / std::expm1(power);
  }
  /// (wa² + λ) x = w a y. power: exponent of weight(); 0: equal weights.
  double true_risk(double lambda, double power = 0) const {
    double risk = 0;
    for (Index i = 0; i < count; ++i) {
      const double w = power > 0 ? weight(i, power) : 1, square = std::norm(D(a[i])),
                   gain = w * square / (w * square + lambda);
      risk += w * ((1 - gain) * (1 - gain) * square * std::norm(truth[i]) + gain * gain * sigma * sigma);
    }
    return risk / count;
  }
  double best_risk(double power = 0) const {
    double best = true_risk(1e-7, power);
    for (double lambda = 1e-7; lambda < 10; lambda *= 1.02) best = std::min(best, true_risk(lambda, power));
    return best;
  }

  LambdaChoice choose(double noise_variance, double power = 0) {
    // √w A, √w y and √w ε
    const auto squared = [&](Index i) { return power > 0 ? weight(i, power) : 1; };
    Array<C> curvature({count}), b({count}), perturbation({count});
    double weighted_energy = 0;
    for (Index i = 0; i < count; ++i) {
      const auto w = static_cast<T>(squared(i));
      curvature[i] = w * a[i] * a[i];
      b[i] = w * rhs[i];
      perturbation[i] = w * probe[i];
      weighted_energy += squared(i) * std::norm(D(rhs[i]) / D(a[i]));
    }
    const Diagonal<T> normal(this->there(std::move(curvature)));
    const SolveForLambda<T> solve = [&](const LambdaSolve<T>& asked) {
      auto x = conjugate_gradient<T>({normal, asked.rhs, {l2<T>(asked.lambda)}, 1},
                                     {.iterations = 60, .tolerance = 1e-6}, this->ctx())
                   .x;
      return LambdaSolution<T>{std::move(x), 60};
    };
    return choose_lambda<T>(
        normal, this->there(std::move(b)), this->there(std::move(perturbation)),
        {.weight = count, .data_energy = weighted_energy, .noise_variance = noise_variance}, solve,
        this->ctx());
  }

  /// The same data; an alternative to Tikhonov's term weighs values by (1 + 20 i/count)^power / 100, for any
  /// λ. `asked_for_it`: number of solutions with it.
  LambdaChoice choose_one_of_two(double power, int& asked_for_it) {
    const SolveForLambda<T> solve = [&](const LambdaSolve<T>& asked) {
      if (asked.alternative) ++asked_for_it;
      Array<C> inverse({count});
      for (Index i = 0; i < count; ++i) {
        const double part = static_cast<double>(i) / count;
        const double weight = asked.alternative ? 0.01 * std::pow(1 + 20 * part, power) : asked.lambda;
        inverse[i] = static_cast<T>(1 / (std::norm(D(a[i])) + weight));
      }
      const Diagonal<T> solution(this->there(std::move(inverse)));
      return LambdaSolution<T>{solution.apply(asked.rhs.view(), this->ctx()), 1};
    };
    Array<C> squares({count});
    for (Index i = 0; i < count; ++i) squares[i] = a[i] * a[i];
    return choose_lambda<T>(
        Diagonal<T>(this->there(std::move(squares))), this->there(clone(rhs)), this->there(clone(probe)),
        {.weight = count, .data_energy = energy, .noise_variance = sigma * sigma, .alternative = true}, solve,
        this->ctx());
  }

  double sigma = 0.02;
  double energy = 0;
  Array<C> a{Shape{count}}, rhs{Shape{count}}, probe{Shape{count}};
  Array<D> truth{Shape{count}};
};
TYPED_TEST_SUITE(LambdaSearch, DeviceCases, CaseNames);

TYPED_TEST(LambdaSearch, KnownNoiseGivesNearlyTheLeastRisk) {
  const LambdaChoice choice = this->choose(this->sigma * this->sigma);
  EXPECT_EQ(choice.criterion, LambdaCriterion::sure);
  EXPECT_TRUE(choice.interior);
  EXPECT_LT(this->true_risk(choice.lambda), 1.03 * this->best_risk());
  // The estimate is unbiased; its scatter is that of 4096 samples.
  for (const LambdaTrial& trial : choice.trials)
    EXPECT_NEAR(trial.risk, this->true_risk(trial.lambda), 0.1 * this->sigma * this->sigma) << trial.lambda;
}

// Weights are supported if the noise is known.
TYPED_TEST(LambdaSearch, SamplesMayHaveWeights) {
  constexpr double power = 6;
  const double noise = this->sigma * this->sigma;
  const LambdaChoice choice = this->choose(noise, power);
  EXPECT_TRUE(choice.interior);
  EXPECT_LT(this->true_risk(choice.lambda, power), 1.05 * this->best_risk(power));
  for (const LambdaTrial& trial : choice.trials)
    EXPECT_NEAR(trial.risk, this->true_risk(trial.lambda, power), 0.2 * noise) << trial.lambda;
}

TYPED_TEST(LambdaSearch, UnknownNoiseGivesASimilarOne) {
  const LambdaChoice choice = this->choose(0);
  EXPECT_EQ(choice.criterion, LambdaCriterion::gcv);
  EXPECT_TRUE(choice.interior);
  EXPECT_LT(this->true_risk(choice.lambda), 1.05 * this->best_risk());
}

TYPED_TEST(LambdaSearch, FreedomIsTheTraceOfTheInfluenceMatrix) {
  for (const LambdaTrial& trial : this->choose(this->sigma * this->sigma).trials) {
    double trace = 0;
    for (Index i = 0; i < this->count; ++i) {
      const double square = std::norm(D(this->a[i]));
      trace += square / (square + trial.lambda) / static_cast<double>(this->count);
    }
    EXPECT_NEAR(trial.freedom, trace, 0.02) << trial.lambda;
  }
}

// Values decrease as 1/(1 + 20 i/count): a term that assumes this has a lower risk, one that assumes the
// opposite a higher one.
TYPED_TEST(LambdaSearch, AnotherTermIsTakenWhereItsErrorIsLess) {
  const LambdaChoice alone = this->choose(this->sigma * this->sigma);
  EXPECT_FALSE(alone.alternative);
  for (const double power : {2.0, -2.0}) {
    int solutions = 0;
    const LambdaChoice choice = this->choose_one_of_two(power, solutions);
    EXPECT_EQ(choice.alternative, power > 0);
    EXPECT_NEAR(choice.lambda, alone.lambda, 0.02 * alone.lambda);
    EXPECT_EQ(choice.trials.size(), alone.trials.size());
    EXPECT_EQ(solutions, 2);
  }
}

// Images that do not depend on λ, or hardly when it is small.
LambdaChoice choice_without_minimum(double scale_of_lambda) {
  Context ctx(Device::cpu());
  const Array<D> ones = filled<D>({64}, 1);
  const Identity<double> normal({64});
  const SolveForLambda<double> solve = [&](const LambdaSolve<double>& asked) {
    Array<D> x = clone<const D>(asked.rhs);
    scale<double>(1 / (1 + asked.lambda / scale_of_lambda), x.view(), ctx);
    return LambdaSolution<double>{std::move(x), 1};
  };
  // Half of the energy cannot be explained by the image.
  return choose_lambda<double>(normal, ones, ones,
                               {.weight = 128, .data_energy = 128, .noise_variance = 1e-6}, solve, ctx);
}

TEST(LambdaSearches, WithoutAMinimumTheLargestOfTheGoodOnesIsTaken) {
  const LambdaChoice falling = choice_without_minimum(1e-4);
  EXPECT_FALSE(falling.interior);
  // The residual is ½ + ½ (λ/(λ + 1e-4))², within 1 % of the least for λ up to 1.1e-5: 1e-3 halved 7 times.
  EXPECT_NEAR(falling.lambda, 1e-3 / 128, 1e-12);
  double least = falling.trials.front().lambda;
  for (const LambdaTrial& trial : falling.trials) least = std::min(least, trial.lambda);
  EXPECT_LT(least, falling.lambda / 16);
  const LambdaChoice flat = choice_without_minimum(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(flat.interior);
  for (const LambdaTrial& trial : flat.trials) EXPECT_LE(trial.lambda, flat.lambda);
}

// Data and perturbed data go through the same iterations, starting from the results of the previous λ.
TEST(LambdaSearches, TheProbeGoesTheSameWay) {
  Context ctx;
  const Array<D> ones = filled<D>({64}, 1), probe = filled<D>({64}, 0.1);
  std::vector<Index> asked_for;
  std::vector<double> starts;
  const SolveForLambda<double> solve = [&](const LambdaSolve<double>& asked) {
    asked_for.push_back(asked.iterations);
    starts.push_back(asked.start.view().size() > 0 ? copied_to(Device::cpu(), asked.start.view())[0].real()
                                                   : -1);
    Array<D> x = clone<const D>(asked.rhs);
    scale<double>(1 / (1 + asked.lambda), x.view(), ctx);
    return LambdaSolution<double>{std::move(x), static_cast<Index>(10 + asked_for.size())};
  };
  choose_lambda<double>(Identity<double>(Shape{64}), ones, probe,
                        {.weight = 64, .data_energy = 70, .noise_variance = 0.1}, solve, ctx);
  ASSERT_GE(asked_for.size(), 6u);
  EXPECT_EQ(starts[0], 0);
  EXPECT_EQ(starts[1], 0);
  for (std::size_t i = 0; i + 1 < asked_for.size(); i += 2) {
    EXPECT_EQ(asked_for[i], 0);
    EXPECT_EQ(asked_for[i + 1], static_cast<Index>(11 + i));
    if (i == 0) continue;
    EXPECT_GT(starts[i], 0);
    EXPECT_GT(starts[i + 1], starts[i]);  // the perturbation has its own start
  }
}

TEST(LambdaSearches, ZeroDataAreRefused) {
  Context ctx(Device::cpu());
  const Array<D> zeros = filled<D>({4}, 0);
  const Identity<double> normal({4});
  const SolveForLambda<double> solve = [&](const LambdaSolve<double>& asked) {
    return LambdaSolution<double>{clone<const D>(asked.rhs), 1};
  };
  EXPECT_THROW(choose_lambda<double>(normal, zeros, zeros, {.weight = 4, .noise_variance = 1}, solve, ctx),
               Error);
}

}  // namespace
}  // namespace larmor::test
