#include "random_arrays.hpp"

#include <larmor/core/vector_ops.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace larmor::test {
namespace {

template <typename T>
class VectorOps : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(VectorOps, Precisions);

TYPED_TEST(VectorOps, EqualPlainLoops) {
  using T = TypeParam;
  using D = std::complex<double>;
  Context ctx(Device::cpu(), {.threads = 3});
  const Index n = 50001;  // several chunks and a rest
  const auto x = random_complex<T>({n}, 1), y = random_complex<T>({n}, 2);
  const D a(0.5, -2), b(1.5, 0.25);
  D inner = 0;
  double square = 0;
  Array<D> sum({n}), mixed({n});
  for (Index i = 0; i < n; ++i) {
    inner += std::conj(D(x[i])) * D(y[i]);
    square += std::norm(D(x[i]));
    sum[i] = D(y[i]) + a * D(x[i]);
    mixed[i] = D(x[i]) + b * D(y[i]);
  }
  EXPECT_LT(std::abs(dot<T>(x, y, ctx) - inner), 1e-9 * square);
  EXPECT_NEAR(squared_norm<T>(x, ctx), square, 1e-9 * square);
  const double eps = std::numeric_limits<T>::epsilon();
  auto z = clone(y);
  axpy<T>(a, x, z, ctx);
  EXPECT_LT(relative_difference(z, sum), 2 * eps);
  copy<T>(y, z, ctx);
  xpby<T>(x, b, z, ctx);
  EXPECT_LT(relative_difference(z, mixed), 2 * eps);
  fill<T>(z, a, ctx);
  scale<T>(b, z, ctx);
  for (const auto& value : z) EXPECT_LT(std::abs(D(value) - a * b), 8 * eps);
}

TYPED_TEST(VectorOps, SumsHaveTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const auto x = random_complex<T>({300007}, 1), y = random_complex<T>({300007}, 2);
  Context one(Device::cpu(), {.threads = 1}), four(Device::cpu(), {.threads = 4});
  EXPECT_EQ(dot<T>(x, y, one), dot<T>(x, y, four));
  EXPECT_EQ(squared_norm<T>(x, one), squared_norm<T>(x, four));
}

TYPED_TEST(VectorOps, LargestMagnitudeSeesNan) {
  using T = TypeParam;
  Context ctx;
  auto x = filled<std::complex<T>>({10}, {3, 4});
  EXPECT_NEAR(max_magnitude<T>(x, ctx), 5, 1e-6);
  x[4] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_TRUE(std::isinf(max_magnitude<T>(x, ctx)));
}

TYPED_TEST(VectorOps, SizesMustAgree) {
  using T = TypeParam;
  Context ctx;
  const auto x = random_complex<T>({10}, 1), y = random_complex<T>({11}, 2);
  EXPECT_THROW(dot<T>(x, y, ctx), Error);
}

}  // namespace
}  // namespace larmor::test
