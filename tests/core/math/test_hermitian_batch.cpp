#include "device_cases.hpp"

#include <larmor/core/math/hermitian_batch.hpp>

#include <algorithm>

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

TYPED_TEST(HermitianBatch, RebuildsMatricesFromUnitVectors) {
  // 130 does not fit into shared memory; with 1 and odd sizes one column has no partner.
  for (const Index n : {1, 2, 3, 8, 13, 40, 130}) {
    const Index count = n > 40 ? 2 : 5;
    auto matrices = random_complex<double>({count, n, n}, 1);
    for (Index m = 0; m < count; ++m)
      for (Index a = 0; a < n; ++a)
        for (Index b = 0; b <= a; ++b) {
          const D value = a == b ? D(matrices[(m * n + a) * n + a].real()) : matrices[(m * n + a) * n + b];
          matrices[(m * n + a) * n + b] = value;
          matrices[(m * n + b) * n + a] = std::conj(value);
        }
    auto work = this->there(clone(matrices));
    Array<D> vectors({count, n, n}, this->device());
    Array<double> values({count, n}, this->device());
    hermitian_eigen_batch(work, vectors, values, this->ctx());
    const auto v = fetched(vectors);
    const auto lambda = fetched(values);
    const auto ones = filled<double>({count, n}, 1);
    const double tolerance = 1e-14 * static_cast<double>(n) * std::sqrt(static_cast<double>(n));
    for (Index m = 0; m < count; ++m)
      for (Index a = 0; a < n; ++a)
        for (Index b = 0; b < n; ++b) {
          ASSERT_LT(std::abs(element(v, lambda, m, n, a, b) - matrices[(m * n + a) * n + b]), tolerance) << n;
          ASSERT_LT(std::abs(element(v, ones, m, n, a, b) - (a == b ? 1.0 : 0.0)), tolerance) << n;
        }
  }
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
