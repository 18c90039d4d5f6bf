#include "small_problems.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/solvers/methods/lsmr.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/regularizers/l2.hpp>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <cmath>
#include <random>

namespace larmor::test {
namespace {

using D = std::complex<double>;

template <typename Case>
class Lsmr : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  const Shape image{4, 5};
  Operator<Scalar> A() { return random_operator<Scalar>(image, 1, this->device()); }
  Array<std::complex<Scalar>> data() { return this->random({40}, 2); }
};
TYPED_TEST_SUITE(Lsmr, DoubleCases, CaseNames);

TYPED_TEST(Lsmr, ReachesTheDenseTikhonovSolution) {
  using T = typename TypeParam::T;
  const auto A = this->A();
  const auto y = this->data();
  const Matrix matrix = dense_matrix(A, this->ctx()), normal = matrix.adjoint() * matrix;
  const double norm = largest_eigenvalue_of(normal);
  for (const double lambda : {0.0, 1e-3, 0.1}) {
    const Vector expected =
        (normal + lambda * norm * Matrix::Identity(20, 20)).ldlt().solve(matrix.adjoint() * to_vector(y));
    Problem<T> problem{A.normal(this->ctx()), A.adjoint(y, this->ctx()), {l2<T>(lambda)}, norm};
    problem.model = A;
    problem.samples = this->data();
    const auto result = lsmr(problem, {.iterations = 200, .tolerance = 1e-11}, this->ctx());
    EXPECT_EQ(result.stop_reason, StopReason::tolerance);
    EXPECT_LT((to_vector(result.x) - expected).norm(), 1e-8 * expected.norm()) << lambda;
  }
}

TYPED_TEST(Lsmr, HistoryHoldsTheTrueGradientWhichNeverRises) {
  using T = typename TypeParam::T;
  const auto A = this->A();
  const auto y = this->data();
  const Matrix matrix = dense_matrix(A, this->ctx());
  const auto result = lsmr<T>(A, y, {l2<T>(0.01)}, {.iterations = 8}, this->ctx());
  const double shift = 0.01 * result.operator_norm_squared;
  const Vector x = to_vector(result.x), b = matrix.adjoint() * to_vector(y);
  const double gradient = (matrix.adjoint() * (matrix * x) + shift * x - b).norm() / b.norm();
  EXPECT_NEAR(result.history.back().gradient, gradient, 1e-9);
  for (std::size_t i = 1; i < result.history.size(); ++i)
    EXPECT_LE(result.history[i].gradient, result.history[i - 1].gradient);
}

TYPED_TEST(Lsmr, ResumesWithTheSameBits) {
  using T = typename TypeParam::T;
  const auto A = this->A();
  const auto y = this->data();
  SolverOptions<T> options{.iterations = 11};
  Checkpoint<T> taken;
  options.hooks.checkpoint_every = 6;
  options.hooks.checkpoint = [&](Checkpoint<T> checkpoint) { taken = std::move(checkpoint); };
  const auto whole = lsmr<T>(A, y, {l2<T>(0.01)}, options, this->ctx());
  SolverOptions<T> rest{.iterations = 11};
  rest.hooks.resume = &taken;
  const auto result = lsmr<T>(A, y, {l2<T>(0.01)}, rest, this->ctx());
  EXPECT_EQ(result.history.size(), 5u);
  EXPECT_TRUE(same_bits(result.x, whole.x));
  EXPECT_EQ(result.distance, whole.distance);
}

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

TYPED_TEST(Lsmr, RefusesNanAndWrongLambdaAndTakesZeroData) {
  using T = typename TypeParam::T;
  const auto A = this->A();
  auto bad = fetched(this->data());
  bad[5] = std::nan("");
  EXPECT_THROW(lsmr<T>(A, this->there(std::move(bad)), {}, {}, this->ctx()), Error);
  EXPECT_THROW(lsmr<T>(A, this->data(), {l2<T>(-1)}, {}, this->ctx()), Error);
  const auto result = lsmr<T>(A, this->there(filled<D>({40}, 0)), {}, {}, this->ctx());
  EXPECT_EQ(result.stop_reason, StopReason::zero_data);
  EXPECT_EQ(max_magnitude<T>(result.x, this->ctx()), 0);
}

TYPED_TEST(Lsmr, TakesProblemsWithPriorsFromTheirMean) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const auto A = this->A();
  const auto y = this->data();
  const DenseProblem<T> dense(A, to_vector(y), this->ctx());
  Problem<T> problem = dense.problem;
  problem.model = A;
  problem.samples = this->data();
  Vector rhs = dense.gradient;
  double constant = 0.5 * dense.data.squaredNorm();
  for (const auto& [lambda, seed] : {std::pair{0.1, 5u}, std::pair{0.3, 6u}}) {
    const Vector prior = to_vector(this->random(this->image, seed));
    problem.regularizers.push_back(l2<T>(
        lambda, std::make_shared<const Array<C>>(to_array<T>(prior, this->image, this->ctx().device()))));
    rhs += lambda * dense.norm_squared * prior;
    constant += 0.5 * lambda * dense.norm_squared * prior.squaredNorm();
  }
  const Matrix M = dense.hessian + 0.4 * dense.norm_squared * Matrix::Identity(20, 20);
  const Vector expected = M.ldlt().solve(rhs);
  const auto result = lsmr(problem, {.iterations = 200, .tolerance = 1e-10, .objective = true}, this->ctx());
  EXPECT_EQ(result.stop_reason, StopReason::tolerance);
  EXPECT_LT((to_vector(result.x) - expected).norm(), 1e-8 * expected.norm());
  EXPECT_NEAR(result.history.back().objective, constant - 0.5 * rhs.dot(expected).real(), 1e-9 * constant);
  // The gradient is relative to that of the whole right-hand side, as for conjugate gradients.
  const auto few = lsmr(problem, {.iterations = 3}, this->ctx());
  EXPECT_NEAR(few.history.back().gradient, (M * to_vector(few.x) - rhs).norm() / rhs.norm(), 1e-9);
}

TYPED_TEST(Lsmr, RefusesProblemsThatItCannotSolve) {
  using T = typename TypeParam::T;
  const auto A = this->A();
  const auto y = this->data();
  const DenseProblem<T> dense(A, to_vector(y), this->ctx());
  Problem<T> problem = dense.problem;
  EXPECT_THROW(lsmr(problem, {}, this->ctx()), Error) << "no model";
  problem.model = A;
  problem.samples = this->data();
  EXPECT_THROW(lsmr(problem, {.start = this->random(this->image, 3)}, this->ctx()), Error);
  problem.regularizers = {plain_l1<T>(0.1)};
  EXPECT_THROW(lsmr(problem, {}, this->ctx()), Error);
}

}  // namespace
}  // namespace larmor::test
