#include "random_arrays.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/solvers/conjugate_gradient.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Dense>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using Matrix = Eigen::MatrixXcd;
using Vector = Eigen::VectorXcd;

// A as a dense matrix, column by column.
Matrix dense(const LinearOperator<double>& A, Context& ctx) {
  Matrix matrix(A.codomain().size(), A.domain().size());
  for (Index column = 0; column < A.domain().size(); ++column) {
    auto unit = filled<D>(A.domain(), 0);
    unit[column] = 1;
    const auto values = A.apply(unit, ctx);
    for (Index row = 0; row < values.size(); ++row) matrix(row, column) = values[row];
  }
  return matrix;
}

Vector to_vector(const Array<D>& array) {
  return Eigen::Map<const Vector>(array.data(), array.size());
}

class Cg : public testing::Test {
 protected:
  Context ctx{Device::cpu(), {.threads = 2}};
  const Shape image{6, 5};
  const Array<double> k = random_real({90, 2}, -0.5, 0.5, 1);
  const Composition<double> A = Nufft<double>(k, image, {.tolerance = 1e-12, .batch = 3}, ctx) *
                                CoilMaps<double>(random_complex<double>(image.prepend(3), 2));
  const Array<D> y = random_complex<double>({3, 90}, 3);
};

TEST_F(Cg, ReachesTheDenseTikhonovSolution) {
  const Matrix matrix = dense(A, ctx), normal = matrix.adjoint() * matrix;
  const double norm = Eigen::SelfAdjointEigenSolver<Matrix>(normal).eigenvalues().maxCoeff();
  for (const double lambda : {0.0, 1e-3, 0.1}) {
    const Vector expected =
        (normal + lambda * norm * Matrix::Identity(30, 30)).ldlt().solve(matrix.adjoint() * to_vector(y));
    const auto result =
        conjugate_gradient<double>(A, y, {.lambda = lambda, .iterations = 200, .tolerance = 1e-12}, ctx);
    EXPECT_EQ(result.stop_reason, "tolerance");
    EXPECT_LT((to_vector(result.x) - expected).norm() / expected.norm(),
              lambda > 0 ? 1e-3 * lambda + 1e-9 : 1e-8);
    if (lambda > 0) {
      EXPECT_NEAR(result.operator_norm_squared, norm, 1e-3 * norm);
    }
  }
}

TEST_F(Cg, HistoryHoldsTheTrueGradientAndAFallingObjective) {
  const auto result = conjugate_gradient<double>(A, y, {.iterations = 7}, ctx);
  ASSERT_EQ(result.history.size(), 7u);
  EXPECT_EQ(result.stop_reason, "iterations");
  auto residual = A.apply(result.x, ctx);
  axpy<double>(-1, y, residual, ctx);
  const auto gradient = A.adjoint(residual, ctx), rhs = A.adjoint(y, ctx);
  EXPECT_NEAR(result.history.back().gradient,
              std::sqrt(squared_norm<double>(gradient, ctx) / squared_norm<double>(rhs, ctx)), 1e-8);
  EXPECT_NEAR(result.history.back().objective,
              0.5 * (squared_norm<double>(residual, ctx) - squared_norm<double>(y, ctx)),
              1e-8 * squared_norm<double>(y, ctx));
  for (std::size_t i = 1; i < result.history.size(); ++i)
    EXPECT_LT(result.history[i].objective, result.history[i - 1].objective);
}

TEST_F(Cg, StopsAtTheToleranceAndNotBefore) {
  const auto result = conjugate_gradient<double>(A, y, {.iterations = 100, .tolerance = 1e-3}, ctx);
  EXPECT_EQ(result.stop_reason, "tolerance");
  EXPECT_LE(result.history.back().gradient, 1e-3);
  EXPECT_GT(result.history[result.history.size() - 2].gradient, 1e-3);
}

TEST_F(Cg, ZeroDataGiveAZeroImage) {
  const auto result = conjugate_gradient<double>(A, filled<D>({3, 90}, 0), {}, ctx);
  EXPECT_EQ(result.stop_reason, "zero data");
  for (const D value : result.x) EXPECT_EQ(value, D(0));
}

TEST_F(Cg, RefusesNanDataAndWrongLambda) {
  auto bad = clone(y);
  bad[5] = std::nan("");
  EXPECT_THROW(conjugate_gradient<double>(A, bad, {}, ctx), Error);
  EXPECT_THROW(conjugate_gradient<double>(A, y, {.lambda = -1}, ctx), Error);
  EXPECT_THROW(conjugate_gradient<double>(A, y, {.lambda = std::nan("")}, ctx), Error);
}

TEST_F(Cg, StopsWhenTheUserAsks) {
  std::atomic<bool> cancel{true};
  Context stopped(Device::cpu(), {.cancel = &cancel});
  try {
    conjugate_gradient<double>(A, y, {}, stopped);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::cancelled);
  }
}

TEST_F(Cg, OneIterationOfADiagonalProblemIsExact) {
  const Diagonal<double> twice(filled<D>({4}, 2.0));
  const auto x = conjugate_gradient<double>(twice, filled<D>({4}, D(6, -2)), {.iterations = 1}, ctx).x;
  for (const D value : x) EXPECT_LT(std::abs(value - D(3, -1)), 1e-14);
}

TEST_F(Cg, NoMemoryIsTakenAfterTheFirstIteration) {
  const auto allocations = [&](Index iterations) {
    const auto normal = A.normal(ctx);
    const auto rhs = A.adjoint(y, ctx);
    const std::size_t before = memory_use().allocations;
    conjugate_gradient_normal<double>(*normal, rhs, {.iterations = iterations}, ctx);
    return memory_use().allocations - before;
  };
  allocations(1);
#ifndef LARMOR_SEPARATE_SCRATCH
  EXPECT_EQ(allocations(20), allocations(1));
#endif
}

TEST_F(Cg, LargestEigenvalueOfADiagonal) {
  auto w = filled<D>({50}, 0.3);
  w[7] = D(0, 1.7);
  EXPECT_NEAR(largest_eigenvalue(*Diagonal<double>(w.view()).normal(ctx), ctx), 1.7 * 1.7, 1e-3);
}

}  // namespace
}  // namespace larmor::test
