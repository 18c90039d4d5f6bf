#include "small_problems.hpp"

#include <larmor/solvers/lsmr.hpp>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using D = std::complex<double>;

template <typename Case>
class Lsmr : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  const Shape image{4, 5};
  OperatorPtr<Scalar> A() { return random_operator<Scalar>(image, 1, this->device()); }
  Array<std::complex<Scalar>> data() { return this->random({40}, 2); }
};
TYPED_TEST_SUITE(Lsmr, DoubleCases, CaseNames);

TYPED_TEST(Lsmr, ReachesTheDenseTikhonovSolution) {
  using T = typename TypeParam::T;
  const auto A = this->A();
  const auto y = this->data();
  const Matrix matrix = dense(*A, this->ctx()), normal = matrix.adjoint() * matrix;
  const double norm = largest_eigenvalue_of(normal);
  for (const double lambda : {0.0, 1e-3, 0.1}) {
    const Vector expected =
        (normal + lambda * norm * Matrix::Identity(20, 20)).ldlt().solve(matrix.adjoint() * to_vector(y));
    const auto result = lsmr<T>(
        *A, y, {.lambda = lambda, .norm_squared = norm, .iterations = 200, .tolerance = 1e-11}, this->ctx());
    EXPECT_EQ(result.stop_reason, "tolerance");
    EXPECT_LT((to_vector(result.x) - expected).norm(), 1e-8 * expected.norm()) << lambda;
  }
}

TYPED_TEST(Lsmr, HistoryHoldsTheTrueGradientWhichNeverRises) {
  using T = typename TypeParam::T;
  const auto A = this->A();
  const auto y = this->data();
  const Matrix matrix = dense(*A, this->ctx());
  const double shift = 0.01 * largest_eigenvalue_of(matrix.adjoint() * matrix);
  const auto result =
      lsmr<T>(*A, y, {.lambda = 0.01, .norm_squared = shift / 0.01, .iterations = 8}, this->ctx());
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
  LsmrOptions<T> options{.lambda = 0.01, .iterations = 11};
  Checkpoint<T> taken;
  options.hooks.checkpoint_every = 6;
  options.hooks.checkpoint = [&](Checkpoint<T> checkpoint) { taken = std::move(checkpoint); };
  const auto whole = lsmr<T>(*A, y, options, this->ctx());
  LsmrOptions<T> rest{.lambda = 0.01, .iterations = 11};
  rest.hooks.resume = &taken;
  const auto result = lsmr<T>(*A, y, rest, this->ctx());
  EXPECT_EQ(result.history.size(), 5u);
  EXPECT_TRUE(same_bits(result.x, whole.x));
}

TYPED_TEST(Lsmr, RefusesNanAndWrongLambdaAndTakesZeroData) {
  using T = typename TypeParam::T;
  const auto A = this->A();
  auto bad = fetched(this->data());
  bad[5] = std::nan("");
  EXPECT_THROW(lsmr<T>(*A, this->there(std::move(bad)), {}, this->ctx()), Error);
  EXPECT_THROW(lsmr<T>(*A, this->data(), {.lambda = -1}, this->ctx()), Error);
  const auto result = lsmr<T>(*A, this->there(filled<D>({40}, 0)), {}, this->ctx());
  EXPECT_EQ(result.stop_reason, "zero data");
  EXPECT_EQ(max_magnitude<T>(result.x, this->ctx()), 0);
}

}  // namespace
}  // namespace larmor::test
