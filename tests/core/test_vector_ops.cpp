#include "device_cases.hpp"

#include <larmor/core/vectors/vector_ops.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace larmor::test {
namespace {

using D = std::complex<double>;

template <typename Case>
class VectorOps : public OnDevice<Case> {};
TYPED_TEST_SUITE(VectorOps, DeviceCases, CaseNames);

TYPED_TEST(VectorOps, EqualPlainLoops) {
  using T = typename TypeParam::T;
  Context ctx = this->context({.threads = 3});
  for (const Index n : {1, 31, 1000, 50001, 1000003}) {  // up to several chunks and a remainder
    const auto x = random_complex<T>({n}, 1), y = random_complex<T>({n}, 2);
    const D a(0.5, -2), b(1.5, 0.25);
    D inner = 0;
    double square = 0, largest = 0;
    Array<D> sum({n}), mixed({n});
    for (Index i = 0; i < n; ++i) {
      inner += std::conj(D(x[i])) * D(y[i]);
      square += std::norm(D(x[i]));
      largest = std::max(largest, std::abs(D(x[i])));
      sum[i] = D(y[i]) + a * D(x[i]);
      mixed[i] = D(x[i]) + b * D(y[i]);
    }
    const auto u = this->there(clone(x)), v = this->there(clone(y));
    EXPECT_LT(std::abs(dot<T>(u, v, ctx) - inner), 1e-9 * square) << n;
    EXPECT_NEAR(squared_norm<T>(u, ctx), square, 1e-9 * square) << n;
    EXPECT_NEAR(max_magnitude<T>(u, ctx), largest, 1e-6 * largest) << n;
    const double eps = std::numeric_limits<T>::epsilon();
    auto z = clone(v);
    axpy<T>(a, u, z, ctx);
    EXPECT_LT(relative_difference(z, sum), 2 * eps) << n;
    copy<T>(v, z, ctx);
    EXPECT_TRUE(same_bits(z, y)) << n;
    xpby<T>(u, b, z, ctx);
    EXPECT_LT(relative_difference(z, mixed), 2 * eps) << n;
    fill<T>(z, a, ctx);
    scale<T>(b, z, ctx);
    for (const auto& value : fetched(z)) EXPECT_LT(std::abs(D(value) - a * b), 8 * eps) << n;
  }
}

TYPED_TEST(VectorOps, SeveralInnerProductsAtOnce) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  for (const Index n : {1, 777, 300007}) {
    const auto x = this->random({n}, 1), y = this->random({n}, 2), z = this->random({n}, 3);
    const auto two = dots<T>({{x, y}, {y, y}}, ctx);
    EXPECT_EQ(two[0], dot<T>(x, y, ctx)) << n;
    EXPECT_NEAR(two[1].real(), squared_norm<T>(y, ctx), 1e-12 * two[1].real()) << n;
    const auto four = dots<T>({{x, y}, {y, z}, {z, x}, {z, z}}, ctx);
    EXPECT_EQ(four[0], dot<T>(x, y, ctx)) << n;
    EXPECT_EQ(four[1], dot<T>(y, z, ctx)) << n;
    EXPECT_EQ(four[2], dot<T>(z, x, ctx)) << n;
    EXPECT_EQ(four[3], dot<T>(z, z, ctx)) << n;
    const auto six = dots<T>({{x, y}, {y, z}, {z, x}, {x, x}, {y, y}, {z, z}}, ctx);
    EXPECT_EQ(six[0], four[0]) << n;
    EXPECT_EQ(six[4], two[1]) << n;
    EXPECT_EQ(six[5], four[3]) << n;
  }
}

TYPED_TEST(VectorOps, CombinesUpToSixVectors) {
  using T = typename TypeParam::T;
  Context ctx = this->context({.threads = 3});
  for (const Index n : {0, 1, 1001, 40003}) {
    const double a[6] = {0.5, -2, 3, 0.125, 1, -0.75};
    Array<std::complex<T>> x[6];
    for (unsigned i = 0; i < 6; ++i) x[i] = this->random({n}, i + 1);
    const auto expected = [&](int terms) {
      Array<D> sum = filled<D>({n}, 0);
      for (int t = 0; t < terms; ++t) {
        const auto values = fetched(x[t]);
        for (Index i = 0; i < n; ++i) sum[i] += a[t] * D(values[i]);
      }
      return sum;
    };
    const double bound = 6 * std::numeric_limits<T>::epsilon();
    Array<std::complex<T>> out({n}, this->device());
    combine<T>({{a[0], x[0]}}, out, ctx);
    EXPECT_LE(relative_difference(out, expected(1)), bound) << n;
    combine<T>({{a[0], x[0]}, {a[1], x[1]}, {a[2], x[2]}}, out, ctx);
    EXPECT_LE(relative_difference(out, expected(3)), bound) << n;
    const auto all = expected(6);
    combine<T>({{a[0], x[0]}, {a[1], x[1]}, {a[2], x[2]}, {a[3], x[3]}, {a[4], x[4]}, {a[5], x[5]}}, out,
               ctx);
    EXPECT_LE(relative_difference(out, all), bound) << n;
    // The result overwrites one of the terms.
    const auto four = expected(4);
    combine<T>({{a[0], x[0]}, {a[1], x[1]}, {a[2], x[2]}, {a[3], x[3]}}, x[2], ctx);
    EXPECT_LE(relative_difference(x[2], four), bound) << n;
  }
}

TYPED_TEST(VectorOps, OverwritingAVectorForgetsItsNan) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto x = this->random({5000}, 1);
  auto y = this->there(filled<C>({5000}, C(nan, nan)));
  copy<T>(x, y, this->ctx());
  EXPECT_TRUE(same_bits(x, y));
  y = this->there(filled<C>({5000}, C(nan, nan)));
  fill<T>(y, 2, this->ctx());
  for (const auto& value : fetched(y)) EXPECT_EQ(value, C(2));
}

TYPED_TEST(VectorOps, SumsHaveTheSameBitsForAnyNumberOfThreads) {
  using T = typename TypeParam::T;
  const auto x = this->random({300007}, 1), y = this->random({300007}, 2);
  Context one = this->context({.threads = 1}), four = this->context({.threads = 4});
  for (int run = 0; run < 5; ++run) {
    EXPECT_EQ(dot<T>(x, y, one), dot<T>(x, y, four));
    EXPECT_EQ(squared_norm<T>(x, one), squared_norm<T>(x, four));
  }
}

TYPED_TEST(VectorOps, EmptyVectorsSumToZero) {
  using T = typename TypeParam::T;
  const auto x = this->random({0}, 1);
  EXPECT_EQ(dot<T>(x, x, this->ctx()), D(0));
  EXPECT_EQ(max_magnitude<T>(x, this->ctx()), 0);
  auto y = this->random({0}, 2);
  axpy<T>(1, x, y, this->ctx());
  fill<T>(y, 1, this->ctx());
}

TYPED_TEST(VectorOps, LargestMagnitudeSeesNan) {
  using T = typename TypeParam::T;
  auto x = filled<std::complex<T>>({10}, {3, 4});
  EXPECT_NEAR(max_magnitude<T>(this->there(clone(x)), this->ctx()), 5, 1e-6);
  x[4] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_TRUE(std::isinf(max_magnitude<T>(this->there(clone(x)), this->ctx())));
}

TYPED_TEST(VectorOps, SizesMustAgree) {
  using T = typename TypeParam::T;
  const auto x = this->random({10}, 1);
  auto y = this->random({11}, 2);
  EXPECT_THROW(dot<T>(x, y, this->ctx()), Error);
  EXPECT_THROW(dots<T>({{x, x}, {x, y}}, this->ctx()), Error);
  EXPECT_THROW(axpy<T>(1, x, y, this->ctx()), Error);
  EXPECT_THROW(combine<T>({{1, x}, {2, y}}, y, this->ctx()), Error);
  EXPECT_THROW(copy<T>(x, y, this->ctx()), Error);
}

}  // namespace
}  // namespace larmor::test
