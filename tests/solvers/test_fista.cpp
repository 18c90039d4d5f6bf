#include "error_of.hpp"
#include "random_arrays.hpp"
#include "small_problems.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/solvers/methods/admm.hpp>
#include <larmor/solvers/methods/fista.hpp>
#include <larmor/solvers/regularizers/low_rank.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace larmor::test {
namespace {

using D = std::complex<double>;

template <typename Case>
class Fista : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  const Shape image{4, 5};
  static constexpr double accuracy = sizeof(Scalar) == 4 ? 1e-5 : 1e-9;

  DenseProblem<Scalar> problem() {
    return {random_operator<Scalar>(image, 1, this->device()), random_vector(40, 2), this->ctx()};
  }
};
TYPED_TEST_SUITE(Fista, DeviceCases, CaseNames);

TYPED_TEST(Fista, HistoryHoldsTheSubgradient) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  p.problem.regularizers = {plain_l1<T>(0.1)};
  Vector seen;
  SolverOptions<T> options{.iterations = 9};
  options.hooks.step = [&](const SolverStep& step, View<const std::complex<T>> x) {
    EXPECT_TRUE(x.shape() == this->image);
    if (step.iteration == 9) seen = to_vector<T>(x);
    return false;
  };
  const auto result = fista<T>(p.problem, options, this->ctx());
  ASSERT_EQ(result.history.size(), 9u);
  EXPECT_EQ(result.stop_reason, StopReason::iterations);
  EXPECT_EQ(result.normal_applies, 9);
  EXPECT_LT((seen - to_vector(result.x)).norm(), 1e-6 * seen.norm());
  // The objective's shortest subgradient; the one in the history is not shorter.
  const Vector x = seen / p.to_image();
  const Vector slope = p.scaled_hessian() * x - p.scaled_gradient();
  double least = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const double size = std::abs(x(i));
    least += size > 0 ? std::norm(slope(i) + 0.1 * x(i) / size)
                      : std::pow(std::max(std::abs(slope(i)) - 0.1, 0.0), 2);
  }
  const double found = result.history.back().gradient * p.scaled_gradient().norm();
  EXPECT_GE(found, std::sqrt(least) * (1 - 1e-4));
  EXPECT_LE(found, std::sqrt(least) * 2 + 1e-3);
}

// The same steps without restart (Beck & Teboulle 2009), on dense matrices: the objective after each.
std::vector<double> plain_momentum(const Matrix& H, const Vector& b, double lambda, double L, int steps) {
  Vector x = Vector::Zero(b.size()), before = x;
  double momentum = 1, beta = 0;
  std::vector<double> objectives;
  for (int step = 0; step < steps; ++step) {
    const Vector w = x + beta * (x - before);
    before = x;
    x = shrink(w - (H * w - b) / L, lambda / L);
    const double following = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
    beta = (momentum - 1) / following;
    momentum = following;
    objectives.push_back(l1_objective(H, b, {{lambda, Matrix::Identity(b.size(), b.size())}}, x));
  }
  return objectives;
}

TYPED_TEST(Fista, RestartBeatsPlainMomentumAndObjectiveNeverRisesTwice) {
  using T = typename TypeParam::T;
  // Condition number 1e3: without restart the objective ripples.
  Vector d(20);
  for (Index i = 0; i < 20; ++i) d(i) = std::pow(1e-3, static_cast<double>(i) / 38);
  const auto A = Diagonal<T>(to_array<T>(d, this->image, this->device())) * Fft<T>(this->image, 2);
  DenseProblem<T> p(A, random_vector(20, 6), this->ctx());
  const double lambda = 1e-3;
  p.problem.regularizers = {plain_l1<T>(lambda)};
  const auto result =
      fista<T>(p.problem, {.iterations = 400, .tolerance = 1e-5, .objective = true}, this->ctx());
  EXPECT_EQ(result.stop_reason, StopReason::tolerance);
  const auto& history = result.history;
  const auto rises_twice = [&p](auto objective, std::size_t count) {
    for (std::size_t i = 2; i < count; ++i)
      if (objective(i) > std::max(objective(i - 1), objective(i - 2)) + 1e-6 * p.data.squaredNorm())
        return true;
    return false;
  };
  EXPECT_FALSE(rises_twice([&](std::size_t i) { return history[i].objective; }, history.size()));

  const Matrix H = p.scaled_hessian();
  const Vector b = p.scaled_gradient();
  const std::vector<std::pair<double, Matrix>> terms{{lambda, Matrix::Identity(20, 20)}};
  const auto plain = plain_momentum(H, b, lambda, 1.02, static_cast<int>(history.size()));
  EXPECT_TRUE(rises_twice([&](std::size_t i) { return plain[i]; }, plain.size()));
  const double least = l1_objective(H, b, terms, l1_minimiser(H, b, terms));
  const double with_restart = l1_objective(H, b, terms, to_vector(result.x) / p.to_image());
  EXPECT_LT(with_restart - least, 0.1 * (plain.back() - least));
}

TYPED_TEST(Fista, RefusesWhatItCannotSolve) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  p.problem.regularizers = {plain_l1<T>(0.1), plain_l1<T>(0.2)};
  EXPECT_THROW(fista<T>(p.problem, {}, this->ctx()), Error);
  p.problem.regularizers = {plain_l1<T>(0.1, differences(20), this->image)};
  EXPECT_THAT(error_of([&] { fista<T>(p.problem, {}, this->ctx()); }), testing::MatchesRegex("2: .*admm.*"));
}

template <typename Case>
class Shifts : public DiagonalProblems<Case> {};
TYPED_TEST_SUITE(Shifts, DeviceCases, CaseNames);

// The function minimised in an iteration, evaluated through its proximal map: p = prox(z) minimises g(u) +
// ½‖u − z‖², so no other point has a lower value.
TYPED_TEST(Shifts, AreThoseOfTheProximalMapInValues) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  Context& ctx = this->ctx();
  const Shape series{4, 8, 12};
  const auto z = this->there(random_complex<T>(series, 5));
  for (const auto& term :
       {wavelet_l1<T>({series, 2}, {.levels = 2}), locally_low_rank<T>({series, 2}, {.block = 4})}) {
    const ProximalMap<T>& g = *term.function;
    EXPECT_NEAR(g.value_in(0, z, ctx), g.value(z, ctx), 1e-5 * g.value(z, ctx));
    for (const Index iteration : {1, 2, 6}) {
      Array<C> p(series, ctx.device()), aside(series, ctx.device());
      constexpr double weight = 0.3;
      g.apply(weight, z, p, ctx, iteration);
      const auto objective = [&](View<const C> u, Index of) {
        combine<T>({{1, u}, {-1, z}}, aside, ctx);
        return weight * g.value_in(of, u, ctx) + 0.5 * squared_norm<T>(aside, ctx);
      };
      const double least = objective(p, iteration);
      for (const double far : {0.9, 1.1}) {
        Array<C> u(series, ctx.device());
        combine<T>({{far, p}, {1 - far, z}}, u, ctx);
        EXPECT_GT(objective(u, iteration), least * (1 + 1e-6)) << g.name() << ' ' << iteration;
      }
      EXPECT_GT(objective(p, iteration + 1), least * (1 + 1e-4)) << g.name() << ' ' << iteration;
    }
  }
}

TYPED_TEST(Shifts, LeaveIteratesAboutTheirMeanWhichIsReturned) {
  using T = typename TypeParam::T;
  const auto problem = this->problem(0.8, 0.02);
  const auto all = fista<T>(problem, {.iterations = 1000}, this->ctx());
  for (const Index iterations : {40, 41, 42, 43}) {
    SolverOptions<T> options{.iterations = iterations};
    const auto mean = fista<T>(problem, options, this->ctx());
    options.keep_state = true;
    const auto last = fista<T>(problem, options, this->ctx());
    EXPECT_LT(relative_difference(mean.x, all.x), 0.5 * relative_difference(last.x, all.x)) << iterations;
    EXPECT_EQ(mean.history.size(), last.history.size());
  }
}

TYPED_TEST(Shifts, DoNotLetTheMeanHoldBackWhatIsOnItsWay) {
  using T = typename TypeParam::T;
  const auto problem = this->problem(0.02, 1e-4);
  for (const Index iterations : {0, 1, 2, 8}) {
    SolverOptions<T> options{.iterations = iterations};
    const auto found = fista<T>(problem, options, this->ctx());
    options.keep_state = true;
    EXPECT_TRUE(same_bits(found.x, fista<T>(problem, options, this->ctx()).x)) << iterations;
  }
}

TYPED_TEST(Shifts, GoOnFromACheckpointToTheSameMean) {
  using T = typename TypeParam::T;
  const auto problem = this->problem(0.8, 0.02);
  std::vector<Checkpoint<T>> taken;
  SolverOptions<T> options{.iterations = 40};
  options.hooks.checkpoint_every = 20;
  options.hooks.checkpoint = [&](Checkpoint<T> checkpoint) { taken.push_back(std::move(checkpoint)); };
  const auto whole = fista<T>(problem, options, this->ctx());
  ASSERT_EQ(taken.size(), 2U);
  for (const Checkpoint<T>& checkpoint : taken) {
    SolverOptions<T> rest{.iterations = 40};
    rest.hooks.resume = &checkpoint;
    EXPECT_TRUE(same_bits(fista<T>(problem, rest, this->ctx()).x, whole.x)) << checkpoint.iteration;
  }
}

}  // namespace
}  // namespace larmor::test
