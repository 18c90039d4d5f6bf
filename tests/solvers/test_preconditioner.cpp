#include "small_problems.hpp"

#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/solvers/methods/admm.hpp>
#include <larmor/solvers/methods/circulant_preconditioner.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>

#include <gtest/gtest.h>

#include <numbers>

namespace larmor::test {
namespace {

Array<double> radial_trajectory(Index n, Index spokes) {
  Array<double> k({spokes * 2 * n, 2});
  for (Index s = 0; s < spokes; ++s)
    for (Index r = 0; r < 2 * n; ++r) {
      const double angle = static_cast<double>(s) * std::numbers::pi / static_cast<double>(spokes);
      const double radius = 0.5 * static_cast<double>(r - n) / static_cast<double>(n);
      k[2 * (s * 2 * n + r)] = radius * std::cos(angle);
      k[2 * (s * 2 * n + r) + 1] = radius * std::sin(angle);
    }
  return k;
}

template <typename Case>
class Preconditioner : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  static Regularizer<Scalar> tikhonov(double lambda) {
    Regularizer<Scalar> term;
    term.name = "l2";
    term.lambda = lambda;
    term.quadratic = true;
    return term;
  }
};
TYPED_TEST_SUITE(Preconditioner, DoubleCases, CaseNames);

TYPED_TEST(Preconditioner, InvertsACirculantOperator) {
  using T = typename TypeParam::T;
  const Shape image{6, 8};
  auto weights = filled<std::complex<T>>(image, 1);
  for (Index i = 0; i < weights.size(); ++i) weights[i] = 0.3 + 0.05 * static_cast<double>(i);
  const auto A = Diagonal<T>(this->there(std::move(weights))) * Fft<T>(image, 2);
  DenseProblem<T> p(A, random_vector(48, 1), this->ctx());
  p.problem.regularizers = {this->tikhonov(0.01)};
  SolverOptions<T> options{.iterations = 50, .tolerance = 1e-10};
  const auto plain = conjugate_gradient<T>(p.problem, options, this->ctx());
  options.preconditioner = circulant_preconditioner<T>(
      p.normal, 2, {.lambda = 0.01, .norm_squared = p.norm_squared, .probes = 1, .floor = 1e-6}, this->ctx());
  const auto result = conjugate_gradient<T>(p.problem, options, this->ctx());
  EXPECT_EQ(result.history.size(), 1u);
  EXPECT_GT(plain.history.size(), 10u);
  EXPECT_LT(relative_difference(result.x, plain.x), 1e-8);
}

TYPED_TEST(Preconditioner, HalvesTheIterationsOfARadialProblem) {
  using T = typename TypeParam::T;
  const Nufft<T> A(radial_trajectory(24, 40), {24, 24}, {.tolerance = 1e-9}, this->ctx());
  const auto normal = A.normal(this->ctx());
  Problem<T> problem{normal, A.adjoint(this->random(A.codomain(), 1), this->ctx()), {this->tikhonov(1e-3)}};
  SolverOptions<T> options{.iterations = 500, .tolerance = 1e-6};
  const auto plain = conjugate_gradient<T>(problem, options, this->ctx());
  options.preconditioner = circulant_preconditioner<T>(normal, 2, {.lambda = 1e-3}, this->ctx());
  const auto result = conjugate_gradient<T>(problem, options, this->ctx());
  EXPECT_EQ(result.stop_reason, StopReason::tolerance);
  EXPECT_LT(2 * result.history.size(), plain.history.size() + 1)
      << result.history.size() << " " << plain.history.size();
  EXPECT_LT(relative_difference(result.x, plain.x), 1e-4);
}

TYPED_TEST(Preconditioner, AdmmNeedsFewerProductsAndFindsTheSame) {
  using T = typename TypeParam::T;
  const Nufft<T> A(radial_trajectory(24, 40), {24, 24}, {.tolerance = 1e-9}, this->ctx());
  const auto normal = A.normal(this->ctx());
  Problem<T> problem{normal,
                     A.adjoint(this->random(A.codomain(), 1), this->ctx()),
                     {total_variation<T>({{24, 24}, 2}, {.lambda = 1e-3})}};
  SolverOptions<T> options{.iterations = 1000, .tolerance = 1e-6};
  options.admm.rho = 3e-3;
  options.admm.inner_iterations = 30;
  const auto plain = admm<T>(problem, options, this->ctx());
  options.preconditioner = circulant_preconditioner<T>(normal, 2, {.lambda = options.admm.rho}, this->ctx());
  const auto result = admm<T>(problem, options, this->ctx());
  EXPECT_EQ(plain.stop_reason, StopReason::tolerance);
  EXPECT_EQ(result.stop_reason, StopReason::tolerance);
  EXPECT_LT(1.5 * static_cast<double>(result.normal_applies), static_cast<double>(plain.normal_applies));
  EXPECT_LT(relative_difference(result.x, plain.x), 1e-4);
}

TYPED_TEST(Preconditioner, RefusesWrongOptions) {
  using T = typename TypeParam::T;
  const Identity<T> one({4, 4});
  EXPECT_THROW(circulant_preconditioner<T>(one, 2, {.lambda = -1}, this->ctx()), Error);
  EXPECT_THROW(circulant_preconditioner<T>(one, 2, {.probes = 0}, this->ctx()), Error);
  const Problem<T> problem{Identity<T>({3, 3}), this->random({3, 3}, 1)};
  SolverOptions<T> options;
  options.preconditioner = one;
  EXPECT_THROW(conjugate_gradient<T>(problem, options, this->ctx()), Error);
  EXPECT_THROW(admm<T>(problem, options, this->ctx()), Error);
}

}  // namespace
}  // namespace larmor::test
