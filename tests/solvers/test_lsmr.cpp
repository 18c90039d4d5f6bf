#include "small_problems.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/solvers/methods/lsmr.hpp>
#include <larmor/solvers/regularizers/l2.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace larmor::test {
namespace {

using D = std::complex<double>;

template <typename Case>
class Lsmr : public OnDevice<Case> {};
TYPED_TEST_SUITE(Lsmr, DoubleCases, CaseNames);

// Compared with the minimum itself, on a problem with a wide spectrum, with and without the damping.
TYPED_TEST(Lsmr, EstimatesHowFarTheMinimumIs) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const Index count = 2000;
  Array<C> values({count}), samples({count});
  std::mt19937 generator(5);
  std::normal_distribution<double> gauss;
  for (Index i = 0; i < count; ++i) {
    values[i] = static_cast<T>(std::exp(-3.5 * static_cast<double>(i) / count));
    samples[i] = C(static_cast<T>(gauss(generator)), static_cast<T>(gauss(generator)));
  }
  const Diagonal<T> A(this->there(clone(values)));
  for (const double lambda : {0.0, 1e-2}) {
    const auto distance_of = [&](View<const C> x) {
      double squared = 0, all = 0;
      for (Index i = 0; i < count; ++i) {
        const double value = values[i].real();
        const D minimum = value * D(samples[i]) / (value * value + lambda);
        squared += std::norm(D(x[i]) - minimum);
        all += std::norm(minimum);
      }
      return std::sqrt(squared / all);
    };
    const auto solve = [&](Index iterations) {
      Problem<T> problem{A.normal(this->ctx()), A.adjoint(this->there(clone(samples)), this->ctx()), {}, 1};
      if (lambda > 0) problem.regularizers.push_back(l2<T>(lambda));
      problem.model = A;
      problem.samples = this->there(clone(samples));
      return lsmr(problem, {.iterations = iterations}, this->ctx());
    };
    Index needed = 16;
    while (distance_of(fetched(solve(needed).x)) > 1e-2) needed += needed / 8;
    const auto early = solve(needed / 2);
    const double far = distance_of(fetched(early.x));
    EXPECT_GT(early.distance, 0.5 * far) << lambda;
    EXPECT_LT(early.distance, 10 * far) << lambda;
    EXPECT_GT(early.missing_iterations, needed / 10) << lambda;
    EXPECT_LT(early.missing_iterations, 2 * needed) << lambda;
    const auto late = solve(3 * needed);
    EXPECT_LT(late.distance, 1e-2) << lambda;
    EXPECT_EQ(solve(600).missing_iterations, 0) << lambda;
    EXPECT_TRUE(std::isinf(solve(5).distance)) << "too few to tell";
  }
}

}  // namespace
}  // namespace larmor::test
