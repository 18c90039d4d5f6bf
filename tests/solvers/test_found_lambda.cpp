// A search for λ, given only an operator and data.
#include "error_of.hpp"
#include "random_arrays.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/solvers/found_lambda.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace larmor::test {
namespace {

using C = std::complex<double>;
using testing::HasSubstr;

constexpr double deviation = 0.3;

struct Denoising {
  Context ctx{Device::cpu(), {.threads = 2}};
  Shape shape{24, 24};
  Fft<double> A{shape, 2};
  Array<C> truth{shape}, y{shape};
  RegularizerSetting<double> setting{.image = {shape, 2}};

  Denoising() {
    for (Index i = 0; i < truth.size(); ++i)
      truth[i] = i / 24 > 5 && i / 24 < 18 && i % 24 > 7 && i % 24 < 20 ? 1 : 0;
    y = A.apply(truth, ctx);
    const auto noise = random_complex<double>(shape, 5);
    double energy = 0;
    for (const C value : noise) energy += std::norm(value);
    for (Index i = 0; i < y.size(); ++i) y[i] += noise[i] * deviation / std::sqrt(energy / 576);
  }
  double error(const Array<C>& x) const { return relative_difference(x, truth); }
};

TEST(FoundLambda, IsNearTheBestOne) {
  Denoising d;
  std::vector<double> uneven(576);
  for (std::size_t i = 0; i < uneven.size(); ++i) uneven[i] = 0.2 + static_cast<double>(i % 7);
  const SolverOptions<double> options{.iterations = 120};
  for (const auto& weights : {std::vector<double>(), uneven}) {
    const auto [A, y] =
        weights.empty() ? Equations<double>{d.A, clone(d.y)} : weighted<double>(d.A, d.y, weights, d.ctx);
    double best = std::numeric_limits<double>::infinity();
    for (double lambda = 1e-3; lambda < 2; lambda *= 1.5) {
      const auto term =
          make_regularizer<double>(parse_regularizer("tv:" + std::to_string(lambda)), d.setting);
      best = std::min(best, d.error(solve<double>(A, y, {term}, Solver::admm, options, d.ctx).x));
    }
    for (const double variance : {deviation * deviation, 0.0}) {
      const auto found = solve_with_found_lambda<double>({d.A, d.y.view(), variance, weights},
                                                         {parse_regularizer("tv:auto")}, d.setting,
                                                         Solver::automatic, options, d.ctx);
      EXPECT_EQ(found.choice.criterion, variance > 0 ? LambdaCriterion::sure : LambdaCriterion::gcv);
      EXPECT_FALSE(found.terms.front().automatic);
      EXPECT_GT(found.terms.front().lambda, 0);
      EXPECT_EQ(found.solver, Solver::admm);
      EXPECT_LE(d.error(found.solution.x), 1.3 * best) << variance << ' ' << weights.size();
    }
  }
}

TEST(FoundLambda, ZeroDataHaveAZeroSolution) {
  Denoising d;
  const auto zero = filled<C>(d.shape, 0);
  const auto found = solve_with_found_lambda<double>({d.A, zero.view(), 1}, {parse_regularizer("l1:auto")},
                                                     d.setting, Solver::automatic, {}, d.ctx);
  for (const C value : found.solution.x) EXPECT_EQ(value, C(0));
}

TEST(FoundLambda, OneTermAloneMayBeAutomatic) {
  Denoising d;
  const auto with = [&](const std::vector<RegularizerSpec>& terms) {
    return error_of([&] {
      solve_with_found_lambda<double>({d.A, d.y.view()}, terms, d.setting, Solver::automatic, {}, d.ctx);
    });
  };
  EXPECT_THAT(with({parse_regularizer("l1:0.1")}), HasSubstr("2: 0 terms have an automatic lambda"));
  EXPECT_THAT(with({parse_regularizer("l1:auto"), parse_regularizer("tv:auto")}), HasSubstr("2 terms"));
}

}  // namespace
}  // namespace larmor::test
