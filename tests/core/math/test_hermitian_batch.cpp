#include "device_cases.hpp"

#include <larmor/core/math/hermitian_batch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace larmor::test {
namespace {

using D = std::complex<double>;

template <typename Case>
class HermitianBatch : public OnDevice<Case> {};
TYPED_TEST_SUITE(HermitianBatch, DoubleCases, CaseNames);

// V diag(values) Vᴴ of one matrix, rows of `vectors` being the eigenvectors.
D element(const Array<D>& vectors, const Array<double>& values, Index matrix, Index n, Index a, Index b) {
  D sum = 0;
  for (Index k = 0; k < n; ++k)
    sum += values[matrix * n + k] * vectors[(matrix * n + k) * n + a] *
           std::conj(vectors[(matrix * n + k) * n + b]);
  return sum;
}

// Random; equal eigenvalues; zero; a single non-zero eigenvalue; rank 3; rows over 12 decades, from both
// ends; close eigenvalues; very large and very small.
constexpr Index kinds = 10;
Array<D> hermitian_matrices(Index n) {
  auto matrices = random_complex<double>({kinds, n, n}, 1);
  const auto columns = random_complex<double>({3, n}, 2);
  const auto grade = [&](Index a) {
    return std::pow(10, -6.0 * static_cast<double>(a) / static_cast<double>(n));
  };
  for (Index kind = 0; kind < kinds; ++kind)
    for (Index a = 0; a < n; ++a)
      for (Index b = 0; b <= a; ++b) {
        D value = matrices[(kind * n + a) * n + b];
        if (a == b) value = value.real();
        const double unit = a == b ? 1 : 0;
        if (kind == 1) value = unit;
        if (kind == 2) value = 0;
        if (kind == 3) value = 1;
        if (kind == 4) {
          value = 0;
          for (Index k = 0; k < 3; ++k) value += columns[k * n + a] * std::conj(columns[k * n + b]);
        }
        if (kind == 5) value *= grade(a) * grade(b);
        if (kind == 6) value *= grade(n - 1 - a) * grade(n - 1 - b);
        if (kind == 7) value = unit + 1e-9 * value;
        if (kind == 8) value *= 1e150;
        if (kind == 9) value *= 1e-150;
        matrices[(kind * n + a) * n + b] = value;
        matrices[(kind * n + b) * n + a] = std::conj(value);
      }
  return matrices;
}

TYPED_TEST(HermitianBatch, RebuildsMatricesFromUnitVectors) {
  // 130 does not fit into shared memory.
  for (const Index n : {1, 2, 3, 8, 13, 40, 64, 130}) {
    const auto matrices = hermitian_matrices(n);
    const auto there = this->there(clone(matrices));
    Array<D> vectors({kinds, n, n}, this->device());
    Array<double> values({kinds, n}, this->device());
    hermitian_eigen_batch(there, vectors, values, this->ctx());
    const auto v = fetched(vectors);
    const auto lambda = fetched(values);
    const auto ones = filled<double>({kinds, n}, 1);
    const double tolerance = 1e-14 * static_cast<double>(n) * std::sqrt(static_cast<double>(n));
    for (Index kind = 0; kind < kinds; ++kind) {
      const double scale = kind == 8 ? 1e150 : kind == 9 ? 1e-150 : 1;
      for (Index a = 0; a < n; ++a)
        for (Index b = 0; b < n; ++b) {
          const D expected = matrices[(kind * n + a) * n + b], unit = a == b ? 1 : 0;
          ASSERT_LT(std::abs(element(v, lambda, kind, n, a, b) - expected), tolerance * scale)
              << n << ", matrix " << kind;
          ASSERT_LT(std::abs(element(v, ones, kind, n, a, b) - unit), tolerance) << n << ", matrix " << kind;
        }
    }
  }
}

TYPED_TEST(HermitianBatch, NotANumberStaysInItsMatrix) {
  const Index n = 13;
  auto matrices = hermitian_matrices(n);
  matrices[n + 2] = matrices[2 * n + 1] = std::numeric_limits<double>::quiet_NaN();
  const auto there = this->there(clone(matrices));
  Array<D> vectors({kinds, n, n}, this->device());
  Array<double> values({kinds, n}, this->device());
  hermitian_eigen_batch(there, vectors, values, this->ctx());
  const auto lambda = fetched(values);
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(lambda[n + i], 1, 1e-14);
}

TYPED_TEST(HermitianBatch, DiagonalAndZeroMatrices) {
  auto matrices = filled<D>({2, 3, 3}, 0);
  matrices[0] = 3, matrices[4] = -1, matrices[8] = 2;
  auto work = this->there(std::move(matrices));
  Array<D> vectors({2, 3, 3}, this->device());
  Array<double> values({2, 3}, this->device());
  hermitian_eigen_batch(work, vectors, values, this->ctx());
  auto lambda = fetched(values);
  std::sort(lambda.begin(), lambda.begin() + 3);
  const double expected[] = {-1, 2, 3, 0, 0, 0};
  for (Index i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(lambda[i], expected[i]);
}

TYPED_TEST(HermitianBatch, RefusesShapesThatDoNotFit) {
  Array<D> matrices({2, 3, 3}, this->device()), vectors({2, 3, 4}, this->device());
  Array<double> values({2, 3}, this->device());
  EXPECT_THROW(hermitian_eigen_batch(matrices, vectors, values, this->ctx()), Error);
  EXPECT_THROW(hermitian_eigen_batch(vectors, vectors, values, this->ctx()), Error);
}

}  // namespace
}  // namespace larmor::test
