#include "random_arrays.hpp"
#include "small_problems.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/solvers/methods/admm.hpp>
#include <larmor/solvers/methods/fista.hpp>
#include <larmor/solvers/methods/pdhg.hpp>
#include <larmor/solvers/problem/loop.hpp>
#include <larmor/solvers/regularizers/low_rank.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>
#include <larmor/solvers/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

namespace larmor::test {
namespace {

template <typename Case>
class WhereSolversStop : public DiagonalProblems<Case> {};
TYPED_TEST_SUITE(WhereSolversStop, DeviceCases, CaseNames);

TYPED_TEST(WhereSolversStop, AHookStopsThemWithTheImageItHasSeen) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const Array<C> y = this->there(random_complex<T>(this->image, 3));
  const auto H = this->spread(1e-3);
  for (const char* name : {"cg", "lsmr", "fista", "admm", "pdhg"}) {
    std::vector<Regularizer<T>> terms;
    if (std::string(name) != "cg" && std::string(name) != "lsmr")
      terms = {wavelet_l1<T>({this->image, 2}, {.lambda = 1e-3, .levels = 2})};
    Array<C> seen;
    SolverOptions<T> options{.iterations = 20};
    options.hooks.step = [&](const SolverStep& step, View<const C> x) {
      seen = copied_to(Device::cpu(), x);
      return step.iteration == 3;
    };
    const auto result = solve<T>(H, y.view(), terms, parse_solver(name), options, this->ctx());
    EXPECT_EQ(result.stop_reason, StopReason::asked) << name;
    EXPECT_EQ(result.history.size(), 3U) << name;
    const Array<C> x = copied_to(Device::cpu(), result.x);
    for (Index i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], seen[i]) << name;
  }
}

TYPED_TEST(WhereSolversStop, FixedShiftsAreTheMeanOverShiftedImages) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  Context& ctx = this->ctx();
  // All shifts of small images are applied at once, those of larger ones in turn.
  for (const Shape& shape : {this->image, Shape{520, 512}}) {
    const auto fixed = with_fixed_shifts(wavelet_l1<T>({shape, 2}, {.lambda = 1, .levels = 2}));
    ASSERT_TRUE(fixed);
    const auto x = random_complex<T>(shape, 1);
    const auto there = this->there(clone(x));
    const auto coefficients = fixed->transform.apply(there, ctx);
    auto back = fixed->transform.adjoint(coefficients, ctx);
    EXPECT_LT(relative_difference(back, there), 1e-5);
    fixed->transform.adjoint(coefficients, back, ctx, Write::accumulate);
    scale<T>(0.5, back.view(), ctx);
    EXPECT_LT(relative_difference(back, there), 1e-5);
    const WaveletNorm<T> plain({shape, 2}, {.levels = 2, .shifts = false});
    double mean = 0;
    constexpr Index shifts[][2] = {{0, 0}, {3, 2}, {1, 3}, {2, 1}};
    const Index rows = shape[0], columns = shape[1];
    for (const auto& [down, across] : shifts) {
      Array<C> moved(shape);
      for (Index y = 0; y < rows; ++y)
        for (Index c = 0; c < columns; ++c)
          moved[y * columns + c] = x[(y + down) % rows * columns + (c + across) % columns];
      mean += plain.value(this->there(std::move(moved)), ctx) / 4;
    }
    EXPECT_NEAR(fixed->function->value(coefficients, ctx), mean, 1e-5 * mean);
  }
  EXPECT_FALSE(
      with_fixed_shifts(wavelet_l1<T>({this->image, 2}, {.lambda = 1, .levels = 2, .shifts = false})));
  EXPECT_FALSE(with_fixed_shifts(plain_l1<T>(1)));
}

TYPED_TEST(WhereSolversStop, SeveralTermsDoNotStandStillFarFromTheMinimum) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  auto several = this->problem(0.01, 0.002);
  several.regularizers.push_back(total_variation<T>({this->image, 2}, {.lambda = 1e-6}));
  const SolverOptions<T> options{.iterations = 400, .distance = 5e-3};
  const auto found = admm<T>(several, options, ctx);
  auto wavelets_alone = this->problem(0.01, 0.002);
  wavelets_alone.regularizers[0] = *with_fixed_shifts(wavelets_alone.regularizers[0]);
  const auto minimum = pdhg<T>(wavelets_alone, {.iterations = 20000, .tolerance = 1e-6}, ctx);
  EXPECT_LT(relative_difference(found.x, minimum.x), 2e-2);
}

TYPED_TEST(WhereSolversStop, AdmmHasFixedShiftsOfWaveletsAndOneGridOfBlocks) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  const ImageLayout series{this->image, 1};  // 16 frames of 24 pixels
  auto shifting = this->problem(0.1, 0.002);
  shifting.regularizers.push_back(locally_low_rank<T>(series, {.lambda = 0.002, .block = 4}));
  for (const auto& term : shifting.regularizers) EXPECT_TRUE(term.function->varies());
  fix_shifts(shifting);
  for (const auto& term : shifting.regularizers) EXPECT_FALSE(term.function->varies());
  EXPECT_FALSE(without_shifts(shifting.regularizers[0]));
  EXPECT_FALSE(without_shifts(shifting.regularizers[1]));
  auto written = this->problem(0.1, 0.002);
  written.regularizers = {*with_fixed_shifts(written.regularizers[0]),
                          locally_low_rank<T>(series, {.lambda = 0.002, .block = 4, .shifts = false})};
  const SolverOptions<T> options{.iterations = 100};
  EXPECT_EQ(relative_difference(admm<T>(shifting, options, ctx).x, admm<T>(written, options, ctx).x), 0);
}

TYPED_TEST(WhereSolversStop, StopsNearTheMinimum) {
  using T = typename TypeParam::T;
  using Solve = SolverResult<T> (*)(const Problem<T>&, const SolverOptions<T>&, Context&);
  Context& ctx = this->ctx();
  auto problem = this->problem(0.02, 0.002);
  problem.regularizers = {plain_l1<T>(0.002)};
  const auto minimum = fista<T>(problem, {.iterations = 5000, .tolerance = 1e-6}, ctx);
  for (const Solve solve : {Solve(fista<T>), Solve(admm<T>), Solve(pdhg<T>)}) {
    const auto found = solve(problem, {.iterations = 2000, .distance = 1e-2}, ctx);
    EXPECT_EQ(found.stop_reason, StopReason::distance);
    EXPECT_LE(found.distance, 1e-2);
    EXPECT_LT(relative_difference(found.x, minimum.x), 2e-2);
    EXPECT_LT(found.history.size(), 1000u);
    const auto short_of_it = solve(problem, {.iterations = 9, .distance = 1e-6}, ctx);
    EXPECT_EQ(short_of_it.stop_reason, StopReason::iterations);
  }
}

TYPED_TEST(WhereSolversStop, VaryingStepsComeToRest) {
  using T = typename TypeParam::T;
  auto problem = this->problem(0.8, 0.02);
  const SolverOptions<T> options{.iterations = 1000, .distance = 1e-7};
  const auto found = fista<T>(problem, options, this->ctx());
  EXPECT_EQ(found.stop_reason, StopReason::distance);
  EXPECT_LT(found.history.size(), 500u);
  EXPECT_GT(found.distance, 1e-4);  // they keep moving
  EXPECT_EQ(found.missing_iterations, 0);
}

// Iterates that slowly go a long way, while random shifts move them back and forth, have not converged.
TYPED_TEST(WhereSolversStop, SlowIsNotAtRest) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  const auto problem = this->problem(this->spread(1e-4), 1e-4);
  const auto minimum = fista<T>(problem, {.iterations = 4000}, ctx);
  const auto found = fista<T>(problem, {.iterations = 2000, .distance = 1e-2}, ctx);
  EXPECT_EQ(found.stop_reason, StopReason::distance);
  EXPECT_LT(relative_difference(found.x, minimum.x), 2e-2);
}

// Small steps after a restart say nothing about the distance to the solution.
TYPED_TEST(WhereSolversStop, ARestartIsNotTheEnd) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  const auto end_of = [&](bool told) {
    const SolverHooks<T> hooks;
    detail::SolverRun<T> run("steps", 200, 0, hooks, ctx, 1e-2);
    const Shape single{1};
    const auto seen = copied_to(ctx.device(), filled<std::complex<T>>(single, T(1)));
    run.reserve(single, true, seen);
    double x = 1;
    for (Index iteration = 1; iteration <= 200; ++iteration) {
      const bool slow = iteration > 40 && iteration <= 60;
      if (told && iteration == 41) run.restarted();
      x += slow ? 1e-5 : 0.1;
      const auto iterate = copied_to(ctx.device(), filled<std::complex<T>>(single, static_cast<T>(x)));
      if (run.record({iteration, 1, 1}, iterate, single)) return iteration;
    }
    return Index{0};
  };
  const Index untold = end_of(false);
  EXPECT_GT(untold, 40);
  EXPECT_LE(untold, 60);
  EXPECT_EQ(end_of(true), 0);
}

// Changes of pixels that no coil sees do not delay the end.
TYPED_TEST(WhereSolversStop, UnseenPixelsMayMoveOn) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  Context& ctx = this->ctx();
  const auto end_of = [&](double seen) {
    const SolverHooks<T> hooks;
    detail::SolverRun<T> run("steps", 200, 0, hooks, ctx, 1e-2);
    const Shape two{2};
    Array<C> rhs({2});
    rhs[0] = 1, rhs[1] = static_cast<T>(seen);
    run.reserve(two, true, moved_to(ctx.device(), std::move(rhs)));
    for (Index iteration = 1; iteration <= 200; ++iteration) {
      Array<C> x({2});
      x[0] = static_cast<T>(1 - std::pow(0.5, static_cast<double>(iteration)));
      x[1] = static_cast<T>(0.1 * static_cast<double>(iteration));
      if (run.record({iteration, 1, 1}, moved_to(ctx.device(), std::move(x)), two)) return iteration;
    }
    return Index{0};
  };
  EXPECT_EQ(end_of(1), 0);
  EXPECT_GT(end_of(0), 0);
  EXPECT_LT(end_of(0), 20);
}

TYPED_TEST(WhereSolversStop, AdmmGoesOnFromWhereItWas) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  auto problem = this->problem(0.02, 0.002);
  problem.regularizers = {total_variation<T>({this->image, 2}, {.lambda = 0.002})};
  const auto minimum = admm<T>(problem, {.iterations = 600}, ctx);
  SolverOptions<T> options{.iterations = 100};
  options.keep_state = true;
  const auto before = admm<T>(problem, options, ctx);
  ASSERT_TRUE(before.state);
  options.keep_state = false;
  options.iterations = 3;
  options.start = SharedArray<std::complex<T>>(clone(before.x));
  const auto from_image = admm<T>(problem, options, ctx);
  EXPECT_FALSE(from_image.state);
  options.state = before.state;
  const auto from_state = admm<T>(problem, options, ctx);
  const double reached = relative_difference(from_state.x, minimum.x);
  EXPECT_LT(reached, 1.1 * relative_difference(before.x, minimum.x) + 1e-5);
  EXPECT_LT(reached, 0.5 * relative_difference(from_image.x, minimum.x));
  problem.regularizers.push_back(total_variation<T>({this->image, 2}, {.lambda = 0.001}));
  EXPECT_THROW(admm<T>(problem, options, ctx), Error);
}

TYPED_TEST(WhereSolversStop, ACheckpointKeepsWhereToStop) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  auto problem = this->problem(0.02, 0.002);
  problem.regularizers = {plain_l1<T>(0.002)};
  std::optional<Checkpoint<T>> kept;
  SolverOptions<T> options{.iterations = 500, .distance = 1e-2};
  options.hooks.checkpoint_every = 7;
  options.hooks.checkpoint = [&](Checkpoint<T> taken) {
    if (!kept) kept = std::move(taken);
  };
  const auto whole = fista<T>(problem, options, ctx);
  ASSERT_TRUE(kept);
  ASSERT_GT(whole.history.size(), 7u);
  options.hooks.resume = &*kept;
  const auto resumed = fista<T>(problem, options, ctx);
  EXPECT_EQ(resumed.history.back().iteration, whole.history.back().iteration);
  EXPECT_EQ(relative_difference(resumed.x, whole.x), 0);
}

}  // namespace
}  // namespace larmor::test
