// ESPIRiT's projection against its definition by eigenvectors.
#include "random_arrays.hpp"

#include <larmor/mri/coils/calibration_matrix.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

namespace larmor::test {
namespace {

using Matrix = Eigen::MatrixXcd;

// Columns are the windows, [channel, kernel point] each.
Matrix windows_of_region(View<const std::complex<float>> kspace, const Extents& region,
                         const Extents& kernel) {
  const Extents windows = windows_of(region, kernel);
  Matrix result(kspace.shape()[0] * kernel.size(), windows.size());
  for (Index w = 0; w < windows.size(); ++w) {
    const Index wx = w % windows.x, wy = w / windows.x % windows.y, wz = w / (windows.x * windows.y);
    for (Index i = 0; i < result.rows(); ++i) {
      const Index x = i % kernel.x, y = i / kernel.x % kernel.y, z = i / (kernel.x * kernel.y) % kernel.z,
                  c = i / kernel.size();
      result(i, w) = kspace[((c * region.z + wz + z) * region.y + wy + y) * region.x + wx + x];
    }
  }
  return result;
}

void expect_projection(const Extents& region, const Extents& kernel, Index channels, int threads) {
  const auto kspace = random_complex<float>({channels, region.z, region.y, region.x}, 3);
  constexpr double threshold = 0.3;
  const Matrix windows = windows_of_region(kspace, region, kernel);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(windows * windows.adjoint());
  const Eigen::VectorXd squares = eigen.eigenvalues();
  const double floor = threshold * threshold * squares.maxCoeff();
  const Eigen::VectorXd kept = (squares.array() / (squares.array() + floor)).matrix();
  const Matrix expected = eigen.eigenvectors() * kept.asDiagonal() * eigen.eigenvectors().adjoint();

  Context ctx(Device::cpu(), {.threads = threads});
  const auto found = CalibrationMatrix(kspace, region, kernel, ctx).projection(threshold);
  ASSERT_EQ(found.shape(), Shape({expected.rows(), expected.rows()}));
  double largest = 0;
  for (Index i = 0; i < expected.rows(); ++i)
    for (Index j = 0; j < expected.rows(); ++j)
      largest = std::max(largest, std::abs(found[i * expected.rows() + j] - expected(i, j)));
  // The largest eigenvalue comes from power iteration, which is within a few percent of it.
  EXPECT_LT(largest, 0.02);
}

TEST(EspiritProjection, IsItsDefinition) {
  expect_projection({10, 9, 11}, {3, 3, 4}, 4, 1);
  expect_projection({10, 9, 11}, {3, 3, 4}, 4, 3);
  expect_projection({1, 24, 22}, {1, 4, 5}, 5, 2);
}

TEST(EspiritProjection, IsItsDefinitionOfFewWindows) {
  expect_projection({1, 7, 7}, {1, 5, 5}, 6, 2);
}

TEST(EspiritProjection, RefusesZeros) {
  Context ctx(Device::cpu(), {.threads = 1});
  const auto zeros = filled<std::complex<float>>({2, 1, 12, 12}, 0);
  EXPECT_THROW(CalibrationMatrix(zeros, {1, 12, 12}, {1, 3, 3}, ctx).projection(0.02), Error);
}

}  // namespace
}  // namespace larmor::test
