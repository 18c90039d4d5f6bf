#include "device_cases.hpp"

#include <larmor/core/math/fft.hpp>
#include <larmor/core/math/line_pass.hpp>
#include <larmor/core/vectors/vector_ops.hpp>

#include <gtest/gtest.h>

#include <numbers>

namespace larmor::test {
namespace {

using D = std::complex<double>;

template <typename Case>
class FftPlans : public OnDevice<Case> {};
TYPED_TEST_SUITE(FftPlans, DeviceCases, CaseNames);

TYPED_TEST(FftPlans, EqualTheSumInOneAxisOfThree) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  const bool single = sizeof(T) == 4;
  const Shape shape{3, 5, 7};
  const auto x = random_complex<T>(shape, 1);
  for (const int rank : {1, 2, 3}) {
    auto y = this->there(clone(x));
    const FftPlan<T> plan(shape, rank);
    ctx.arena().reserve(plan.scratch_bytes(ctx));
    plan.execute(y, FftSign::forward, ctx);
    auto expected = filled<D>(shape, 0);
    for (Index out = 0; out < x.size(); ++out)
      for (Index in = 0; in < x.size(); ++in) {
        const Index o[3] = {out / 35, out / 7 % 5, out % 7}, i[3] = {in / 35, in / 7 % 5, in % 7};
        double cycles = 0;
        bool same_batch = true;
        for (int axis = 0; axis < 3; ++axis) {
          if (axis >= 3 - rank)
            cycles += static_cast<double>(o[axis] * i[axis]) / static_cast<double>(shape[axis]);
          else
            same_batch = same_batch && o[axis] == i[axis];
        }
        if (same_batch) expected[out] += D(x[in]) * std::polar(1.0, -2 * std::numbers::pi * cycles);
      }
    EXPECT_LT(relative_difference(y, expected), single ? 1e-6 : 1e-13) << rank;
    plan.execute(y, FftSign::backward, ctx);
    double size = 1;
    for (int axis = 3 - rank; axis < 3; ++axis) size *= static_cast<double>(shape[axis]);
    scale<T>(1 / size, y, ctx);
    EXPECT_LT(relative_difference(y, x), single ? 1e-6 : 1e-14) << rank;
  }
}

TYPED_TEST(FftPlans, OfOneSizeServeTwoArraysAndContexts) {
  using T = typename TypeParam::T;
  const Shape shape{4, 6, 10};
  Context other = this->context({.threads = 1});
  const FftPlan<T> plan(shape, 2), again(shape, 2);
  for (Context* ctx : {&this->ctx(), &other}) ctx->arena().reserve(plan.scratch_bytes(*ctx));
  auto a = this->random(shape, 1), b = this->random(shape, 1);
  plan.execute(a, FftSign::forward, this->ctx());
  again.execute(b, FftSign::forward, other);
  EXPECT_TRUE(same_bits(a, b));
}

TEST(LinePass, PrunedCopiesLeaveTheRestOfTheArrayAlone) {
  // 6 elements per line, data in the first 2 and the last 1; 3 adjacent lines.
  const LinePass<double> lines(6, 2, 1, 3);
  auto array = random_complex<double>({6, 3}, 1);
  const auto before = clone(array);
  auto in = filled<D>({lines.buffer_size()}, {9, 9}), out = filled<D>({lines.buffer_size()}, 0);
  lines.gather_pruned(array.data(), 3, 3, in.data());
  for (Index line = 0; line < 3; ++line)
    for (Index i = 0; i < 6; ++i) EXPECT_EQ(in[line * 6 + i], i < 2 || i == 5 ? array[i * 3 + line] : D(0));
  for (auto& value : out) value = {7, 0};
  lines.scatter_pruned(out.data(), 3, 3, array.data());
  for (Index i = 0; i < 6; ++i)
    for (Index line = 0; line < 3; ++line)
      EXPECT_EQ(array[i * 3 + line], i < 2 || i == 5 ? D(7) : before[i * 3 + line]);
}

TEST(FastFftSize, IsSmoothEvenAndNotMuchLonger) {
  for (Index n = 2; n <= 2000; ++n) {
    const Index size = fast_fft_size(n);
    Index rest = size;
    for (const Index prime : {2, 3, 5, 7})
      while (rest % prime == 0) rest /= prime;
    EXPECT_EQ(rest, 1) << n;
    EXPECT_EQ(size % 2, 0) << n;
    EXPECT_GE(size, n);
    if (n > 10) {
      EXPECT_LE(size, n + n / 5) << n;
    }
  }
  EXPECT_EQ(fast_fft_size(1), 1);
}

}  // namespace
}  // namespace larmor::test
