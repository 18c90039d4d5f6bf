#include "small_problems.hpp"

#include <larmor/solvers/regularizers/constraints.hpp>
#include <larmor/solvers/regularizers/l1.hpp>
#include <larmor/solvers/regularizers/l2.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>
#include <larmor/solvers/solve.hpp>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using D = std::complex<double>;

// One convex problem for each regulariser: every solver that takes it finds the same minimiser.
template <typename Case>
class Optimality : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  const Shape image{3, 8, 10};
  const ImageLayout layout{image, 2};

  static std::vector<SolverChoice> solvers(const Regularizer<Scalar>& term, Context& ctx) {
    Problem<Scalar> problem;
    problem.regularizers = {term};
    switch (automatic_solver(problem, ctx)) {
      case SolverChoice::cg:
        return {SolverChoice::cg, SolverChoice::fista, SolverChoice::admm, SolverChoice::pdhg};
      case SolverChoice::fista:
        return {SolverChoice::fista, SolverChoice::admm, SolverChoice::pdhg};
      default:
        return {SolverChoice::admm, SolverChoice::pdhg};
    }
  }

  void expect_one_minimiser(const Regularizer<Scalar>& term) {
    Context ctx = this->context({.threads = 1});  // for vectors so short others only cost time
    const auto A = random_operator<Scalar>(image, 1, this->device());
    const auto normal = A->normal(ctx);
    const auto rhs = A->adjoint(this->random(A->codomain(), 2), ctx);
    Problem<Scalar> problem;
    problem.normal = normal.get();
    problem.rhs = rhs;
    problem.regularizers = {term};
    Array<std::complex<Scalar>> first;
    double objective = 0;
    for (const SolverChoice choice : solvers(term, ctx)) {
      const auto result =
          solve<Scalar>(problem, choice, {.iterations = 4000, .tolerance = 5e-7, .objective = true}, ctx);
      EXPECT_EQ(result.stop_reason, "tolerance") << term.name << " " << to_string(choice);
      const double found = result.history.back().objective;
      if (first.empty()) {
        first = clone(result.x);
        objective = found;
        continue;
      }
      EXPECT_NEAR(found, objective, 1e-6 * std::abs(objective)) << term.name << " " << to_string(choice);
      EXPECT_LT(relative_difference(result.x, first), 1e-3) << term.name << " " << to_string(choice);
    }
  }
};
TYPED_TEST_SUITE(Optimality, DoubleCases, CaseNames);

TYPED_TEST(Optimality, L2) {
  using T = typename TypeParam::T;
  L2Options<T> options{.lambda = 0.1};
  this->expect_one_minimiser(l2<T>(this->layout, options));
  options.prior = std::make_shared<const Array<std::complex<T>>>(this->random(this->image, 5));
  this->expect_one_minimiser(l2<T>(this->layout, options));
}

TYPED_TEST(Optimality, L1) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser(l1<T>(this->layout, {.lambda = 0.1}));
  this->expect_one_minimiser(l1<T>(this->layout, {.lambda = 0.1, .joint = true}));
}

TYPED_TEST(Optimality, Wavelet) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser(
      wavelet_l1<T>(this->layout, {.lambda = 0.05, .vanishing_moments = 2, .levels = 2, .shifts = false}));
}

TYPED_TEST(Optimality, TotalVariation) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser(total_variation<T>(this->layout, {.lambda = 0.05}));
  this->expect_one_minimiser(total_variation<T>(this->layout, {.lambda = 0.05, .anisotropic = true}));
}

TYPED_TEST(Optimality, TotalVariationInTime) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser(temporal_total_variation<T>(this->layout, 0.1));
}

TYPED_TEST(Optimality, TotalGeneralisedVariation) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser(total_generalised_variation<T>(this->layout, {.lambda = 0.05}));
}

TYPED_TEST(Optimality, Constraints) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser(real_valued<T>(this->layout));
  this->expect_one_minimiser(positivity<T>(this->layout));
}

}  // namespace
}  // namespace larmor::test
