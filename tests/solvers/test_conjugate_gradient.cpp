#include "small_problems.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/regularizers/l2.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using D = std::complex<double>;
template <typename Case>
class CgOnDevice : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  const Shape image{6, 5};

  Composition<Scalar> model() {
    return Nufft<Scalar>(random_real({90, 2}, -0.5, 0.5, 1), image,
                         {.tolerance = sizeof(Scalar) == 4 ? 1e-6 : 1e-12, .batch = 3}, this->ctx()) *
           CoilMaps<Scalar>(this->random(image.prepend(3), 2));
  }
  static Array<std::complex<Scalar>> data() { return CgOnDevice::random({3, 90}, 3); }
};
template <typename Case>
class Cg : public CgOnDevice<Case> {};
TYPED_TEST_SUITE(Cg, DoubleCases, CaseNames);
template <typename Case>
class CgSingle : public CgOnDevice<Case> {};
TYPED_TEST_SUITE(CgSingle, FloatCases, CaseNames);

// One eigenvalue far above all others: rounding reintroduces its eigenvector unless residuals stay orthogonal
// to the first ones.
TYPED_TEST(CgSingle, RoundingTakesNoIterationsWhereResidualsStayOrthogonal) {
  Context& ctx = this->ctx();
  constexpr Index size = 100, iterations = 12;
  const auto solved = [&]<typename T>(T, Index orthogonal_to_first) {
    auto eigenvalues = filled<std::complex<T>>({size}, 0), rhs = filled<std::complex<T>>({size}, 1);
    for (Index i = 0; i < size; ++i) eigenvalues[i] = i == 0 ? T(1e4) : T(1) + T(0.1) * static_cast<T>(i);
    const Problem<T> problem{Diagonal<T>(moved_to(ctx.device(), std::move(eigenvalues))),
                             moved_to(ctx.device(), std::move(rhs))};
    return to_vector(conjugate_gradient<T>(
                         problem, {.iterations = iterations, .orthogonal_to_first = orthogonal_to_first}, ctx)
                         .x);
  };
  const Vector exact = solved(double(), iterations);
  EXPECT_LT((solved(float(), 3) - exact).norm(), 1e-5 * exact.norm());
  EXPECT_GT((solved(float(), 0) - exact).norm(), 1e-3 * exact.norm());
}

TEST(CgOptions, OrthogonalResidualsTakeNeitherPreconditionerNorCheckpoints) {
  Context ctx;
  const Problem<float> problem{Identity<float>({4}), filled<std::complex<float>>({4}, 1)};
  SolverOptions<float> options{.orthogonal_to_first = 1};
  options.preconditioner = Identity<float>({4});
  EXPECT_THROW(conjugate_gradient<float>(problem, options, ctx), Error);
  options.preconditioner = {};
  EXPECT_NO_THROW(conjugate_gradient<float>(problem, options, ctx));
  options.hooks.checkpoint_every = 1;
  EXPECT_THROW(conjugate_gradient<float>(problem, options, ctx), Error);
}

// Compared with the minimum itself, on a problem with a wide spectrum.
TYPED_TEST(Cg, EstimatesHowFarTheMinimumIs) {
  Context& ctx = this->ctx();
  const Index count = 4000;
  Array<D> eigenvalues({count}), rhs({count});
  std::mt19937 generator(5);
  std::normal_distribution<double> gauss;
  for (Index i = 0; i < count; ++i) {
    eigenvalues[i] = std::exp(-8 * static_cast<double>(i) / count);
    const double re = gauss(generator), im = gauss(generator);
    rhs[i] = std::sqrt(eigenvalues[i].real()) * D(re, im);
  }
  const double lambda = 1e-3;
  const auto distance_with = [&](double weight, View<const D> x) {
    double squared = 0, all = 0;
    for (Index i = 0; i < count; ++i) {
      const D minimum = rhs[i] / (eigenvalues[i] + weight);
      squared += std::norm(x[i] - minimum);
      all += std::norm(minimum);
    }
    return std::sqrt(squared / all);
  };
  const auto distance_of = [&](View<const D> x) { return distance_with(lambda, x); };
  const Diagonal<D::value_type> normal(this->there(clone(eigenvalues)));
  const Problem<double> problem{normal, this->there(clone(rhs)), {l2<double>(lambda)}, 1};
  for (const double goal : {0.1, 1e-2, 1e-3}) {
    const auto result = conjugate_gradient<double>(problem, {.iterations = 300, .distance = goal}, ctx);
    EXPECT_EQ(result.stop_reason, StopReason::distance);
    EXPECT_LE(result.distance, goal);
    EXPECT_EQ(result.missing_iterations, 0);
    const double distance = distance_of(fetched(result.x));
    EXPECT_LT(distance, goal) << "iterations later have told of it";
    EXPECT_GT(distance, 0.02 * goal) << "and near enough to save iterations";
    // When stopped early, it estimates about how many iterations are missing.
    const auto needed = static_cast<Index>(result.history.size());
    const auto early = conjugate_gradient<double>(problem, {.iterations = needed / 2, .distance = goal}, ctx);
    EXPECT_EQ(early.stop_reason, StopReason::iterations);
    EXPECT_GT(early.missing_iterations, needed / 10);
    EXPECT_LT(early.missing_iterations, 2 * needed);
    EXPECT_GT(early.distance, 0.5 * distance_of(fetched(early.x)));
  }
  // Without a Tikhonov term the estimate is the same, but it stops only by curvature and tolerance.
  const Problem<double> plain{normal, this->there(clone(rhs))};
  const auto early = conjugate_gradient<double>(plain, {.iterations = 20, .distance = 0.1}, ctx);
  EXPECT_GT(early.distance, 0.1);
  EXPECT_GT(early.distance, distance_with(0, fetched(early.x)) / 3);
  EXPECT_GT(early.missing_iterations, 0);
  const auto late = conjugate_gradient<double>(plain, {.iterations = 300, .distance = 0.1}, ctx);
  EXPECT_EQ(late.stop_reason, StopReason::iterations);
  EXPECT_LT(late.distance, 1e-3);
  EXPECT_LT(distance_with(0, fetched(late.x)), 1e-3);
  EXPECT_EQ(late.missing_iterations, 0);
}

TYPED_TEST(Cg, OneIterationOfADiagonalProblemIsExact) {
  const Diagonal<double> twice(this->there(filled<D>({4}, 2.0)));
  const auto y = this->there(filled<D>({4}, D(6, -2)));
  const auto x = conjugate_gradient<double>(twice, y, {}, {.iterations = 1}, this->ctx()).x;
  for (const D value : fetched(x)) EXPECT_LT(std::abs(value - D(3, -1)), 1e-14);
}

TYPED_TEST(Cg, LargestEigenvalueOfADiagonal) {
  auto w = filled<D>({50}, 0.3);
  w[7] = D(0, 1.7);
  const Diagonal<double> diagonal(this->there(std::move(w)));
  EXPECT_NEAR(largest_eigenvalue(diagonal.normal(this->ctx()), this->ctx()), 1.7 * 1.7, 1e-3);
}

}  // namespace
}  // namespace larmor::test
