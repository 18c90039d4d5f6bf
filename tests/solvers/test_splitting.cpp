#include "small_problems.hpp"

#include <larmor/solvers/methods/admm.hpp>
#include <larmor/solvers/methods/fista.hpp>
#include <larmor/solvers/methods/pdhg.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>
#include <larmor/solvers/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>

// Solvers for several terms with transforms, compared with dense minimisers and with each other.

namespace larmor::test {
namespace {

using D = std::complex<double>;
constexpr Solver splitting[] = {Solver::admm, Solver::pdhg};

template <typename Case>
class Splitting : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  const Shape image{4, 5};
  const Matrix unit = Matrix::Identity(20, 20), edges = differences(20);
  static constexpr double accuracy = sizeof(Scalar) == 4 ? 1e-4 : 1e-7;

  DenseProblem<Scalar> problem() {
    return {random_operator<Scalar>(image, 1, this->device()), random_vector(40, 2), this->ctx()};
  }
  static SolverOptions<Scalar> until(double tolerance) {
    return {.iterations = 5000, .tolerance = tolerance};
  }
  /// The solution in the scaled problem's units.
  Vector scaled(const DenseProblem<Scalar>& p, const SolverResult<Scalar>& result) const {
    return to_vector(result.x) / p.to_image();
  }
};
TYPED_TEST_SUITE(Splitting, DeviceCases, CaseNames);

TYPED_TEST(Splitting, SolvesForFurtherUnknowns) {
  using T = typename TypeParam::T;
  // min over x and v of the data term + λ(‖x − v‖₁ + ‖D v‖₁), next to an ordinary term.
  auto p = this->problem();
  Matrix W = Matrix::Zero(39, 40);
  W.topLeftCorner(20, 20) = this->unit;
  W.topRightCorner(20, 20) = -this->unit;
  W.bottomRightCorner(19, 20) = this->edges;
  Regularizer<T> term = plain_l1<T>(0.1, W, {40});
  term.auxiliary = 20;
  p.problem.regularizers = {plain_l1<T>(0.02), term};
  Matrix H = Matrix::Zero(40, 40), first = Matrix::Zero(20, 40);
  H.topLeftCorner(20, 20) = p.scaled_hessian();
  first.leftCols(20) = this->unit;
  Vector b = Vector::Zero(40);
  b.head(20) = p.scaled_gradient();
  const std::vector<std::pair<double, Matrix>> terms = {{0.02, first}, {0.1, W}};
  const Vector expected = l1_minimiser(H, b, terms, 5000);
  for (const Solver choice : splitting) {
    const auto result = solve<T>(p.problem, choice, this->until(this->accuracy / 20), this->ctx());
    EXPECT_TRUE(result.x.shape() == this->image);
    EXPECT_LT((this->scaled(p, result) - expected.head(20)).norm(), 1e-3 * expected.norm())
        << to_string(choice);
  }
  p.problem.regularizers = {term, term};
  EXPECT_THROW(solve<T>(p.problem, Solver::admm, {}, this->ctx()), Error);
}

TYPED_TEST(Splitting, KeepsConstraintsAtTheLimit) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  const Regularizer<T> positive{.name = "plain positivity", .lambda = 1, .function = plain_positivity<T>()};
  p.problem.regularizers = {positive, plain_l1<T>(0.05, this->edges, this->image)};
  const auto by_admm = admm<T>(p.problem, this->until(this->accuracy / 10), this->ctx());
  const auto by_pdhg = pdhg<T>(p.problem, this->until(this->accuracy / 10), this->ctx());
  EXPECT_LT(relative_difference(by_admm.x, by_pdhg.x), 10 * this->accuracy);
  const Vector x = this->scaled(p, by_admm);
  EXPECT_LT(x.imag().norm() + x.real().cwiseMin(0).norm(), 10 * this->accuracy * x.norm());
  // KKT: where x > 0, the gradient is zero, or sums to zero within a flat part.
  p.problem.regularizers = {positive};
  const auto alone = fista<T>(p.problem, this->until(this->accuracy / 10), this->ctx());
  const Vector z = this->scaled(p, alone), slope = p.scaled_hessian() * z - p.scaled_gradient();
  for (Index i = 0; i < z.size(); ++i) {
    if (z(i).real() > 0) {
      EXPECT_NEAR(slope(i).real(), 0, 10 * this->accuracy);
    } else {
      EXPECT_GT(slope(i).real(), -10 * this->accuracy);
    }
  }
  EXPECT_LT(relative_difference(admm<T>(p.problem, this->until(this->accuracy / 10), this->ctx()).x, alone.x),
            10 * this->accuracy);
}

TYPED_TEST(Splitting, BalancingForgivesAWrongRho) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  p.problem.regularizers = {plain_l1<T>(0.1, this->edges, this->image)};
  const auto iterations = [&](double rho, bool balance) {
    auto options = this->until(1e-4);
    options.iterations = 300;
    options.admm.rho = rho;
    options.admm.balance = balance;
    return admm<T>(p.problem, options, this->ctx()).history.size();
  };
  const std::size_t usual = iterations(0, true);
  for (const double rho : {1e-4, 1e3}) {
    EXPECT_LT(iterations(rho, true), 4 * usual + 20) << rho;
    EXPECT_LT(iterations(rho, true), iterations(rho, false)) << rho;
  }
}

TYPED_TEST(Splitting, InnerIterationsGoOnWhereTheLastOnesEnded) {
  using T = typename TypeParam::T;
  // The condition number is large: a few steps, restarted every time, do not suffice.
  auto weights = filled<std::complex<T>>(this->image, 0);
  for (Index i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<T>(std::pow(0.9, static_cast<double>(i)));
  const auto A = Diagonal<T>(moved_to(this->device(), std::move(weights))) * Fft<T>(this->image, 2);
  DenseProblem<T> p(A, random_vector(20, 3), this->ctx());
  p.problem.regularizers = {plain_l1<T>(0.01, this->edges, this->image)};
  const auto exact = admm<T>(
      p.problem, {.iterations = 60, .admm = {.inner_iterations = 40, .inner_tolerance = 1e-4}}, this->ctx());
  const auto few = admm<T>(p.problem, {.iterations = 60}, this->ctx());
  // Three products per iteration, and occasionally one for the iterate.
  EXPECT_LE(few.normal_applies, 60 * 3 + 4);
  EXPECT_LT(3 * few.normal_applies, exact.normal_applies);
  EXPECT_LT(relative_difference(few.x, exact.x), 3e-3);
}

TYPED_TEST(Splitting, BalancesATermThatIsSmallNextToTheData) {
  using T = typename TypeParam::T;
  // One frequency has nearly all of the samples, as the centre of k-space has in radial trajectories.
  auto weights = filled<std::complex<T>>(this->image, static_cast<T>(0.02));
  weights[12] = 1;
  const auto A = Diagonal<T>(moved_to(this->device(), std::move(weights))) * Fft<T>(this->image, 2);
  Vector object = Vector::Constant(20, 1);
  object.head(7).setConstant(3);
  DenseProblem<T> p(A, dense_matrix(A, this->ctx()) * object + 0.005 * random_vector(20, 2), this->ctx());
  p.problem.regularizers = {plain_l1<T>(1e-5, this->edges, this->image)};
  const auto found = [&](double rho, Index iterations) {
    return admm<T>(
               p.problem,
               {.iterations = iterations,
                .admm = {.rho = rho, .balance = rho == 0, .inner_iterations = 10, .inner_tolerance = 1e-3}},
               this->ctx())
        .x;
  };
  EXPECT_LT(relative_difference(found(0, 40), found(1e-3, 2000)), 1e-3);
}

TYPED_TEST(Splitting, TheSolverIsChosenByTheTerms) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  const Regularizer<T> l2{.name = "l2", .lambda = 0.1, .quadratic = true};
  const auto sparse = plain_l1<T>(0.1), edge = plain_l1<T>(0.1, this->edges, this->image),
             off = plain_l1<T>(0);
  const auto choice = [&](std::vector<Regularizer<T>> terms) {
    p.problem.regularizers = std::move(terms);
    const auto chosen = automatic_solver<T>(p.problem, this->ctx());
    // and it uses them
    EXPECT_EQ(solve<T>(p.problem, Solver::automatic, {.iterations = 2}, this->ctx()).history.size(), 2u);
    return chosen;
  };
  EXPECT_EQ(choice({}), Solver::cg);
  EXPECT_EQ(choice({l2}), Solver::cg);
  EXPECT_EQ(choice({l2, off}), Solver::cg);
  EXPECT_EQ(choice({sparse}), Solver::fista);
  EXPECT_EQ(choice({l2, sparse}), Solver::fista);
  EXPECT_EQ(choice({edge}), Solver::admm);
  EXPECT_EQ(choice({sparse, sparse}), Solver::admm);
  EXPECT_THROW(solve<T>(p.problem, Solver::cg, {}, this->ctx()), Error);
}

}  // namespace
}  // namespace larmor::test
