#include "random_arrays.hpp"

#include <larmor/core/error.hpp>
#include <larmor/core/math/linalg.hpp>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using D = std::complex<double>;

TEST(Linalg, ProductTransposeAndInverse) {
  const auto a = random_complex<double>({4, 4}, 1);
  EXPECT_LT(relative_difference(matrix_product(a, matrix_inverse(a)), identity_matrix(4)), 1e-12);
  const auto b = random_complex<double>({4, 2}, 2), ab = matrix_product(a, b);
  EXPECT_EQ(ab.shape(), (Shape{4, 2}));
  D sum = 0;
  for (Index k = 0; k < 4; ++k) sum += a[1 * 4 + k] * b[k * 2 + 1];
  EXPECT_LT(std::abs(ab[1 * 2 + 1] - sum), 1e-13);
  EXPECT_EQ(conjugate_transpose(b)[1 * 4 + 3], std::conj(b[3 * 2 + 1]));
}

TEST(Linalg, SingularAndMisfittingMatricesAreRefused) {
  EXPECT_THROW(matrix_inverse(filled<D>({3, 3}, 1.0)), Error);
  EXPECT_THROW(matrix_inverse(filled<D>({3, 2}, 1.0)), Error);
  EXPECT_THROW(matrix_product(identity_matrix(3), identity_matrix(2)), Error);
  EXPECT_THROW(hermitian_eigen(filled<D>({3, 2}, 1.0)), Error);
}

TEST(Linalg, HermitianMatrixIsTheSumOfItsComponents) {
  const auto b = random_complex<double>({5, 5}, 3);
  const auto a = matrix_product(b, conjugate_transpose(b));
  const auto eigen = hermitian_eigen(a);
  auto sum = filled<D>({5, 5}, 0.0);
  for (Index i = 0; i < 5; ++i) {
    if (i > 0) {
      EXPECT_LE(eigen.values[i], eigen.values[i - 1]);
    }
    for (Index r = 0; r < 5; ++r)
      for (Index c = 0; c < 5; ++c)
        sum[r * 5 + c] += eigen.values[i] * eigen.vectors[i * 5 + r] * std::conj(eigen.vectors[i * 5 + c]);
  }
  EXPECT_LT(relative_difference(sum, a), 1e-13);
}

}  // namespace
}  // namespace larmor::test
