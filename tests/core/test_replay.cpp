#include "device_cases.hpp"

#include <larmor/core/vectors/replay.hpp>
#include <larmor/core/vectors/vector_ops.hpp>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using C = std::complex<float>;

template <typename Case>
class Replays : public OnDevice<Case> {
 protected:
  static constexpr Index n = 1000;
  Array<C> ones() {
    Array<C> array({n}, this->device());
    fill<float>(array, C(1), this->ctx());
    return array;
  }
  static float first_of(const Array<C>& array) { return fetched(array)[0].real(); }
};
TYPED_TEST_SUITE(Replays, FloatCases, CaseNames);

TYPED_TEST(Replays, DoTheWorkEachTime) {
  const Array<C> x = this->ones();
  Array<C> y = this->ones();
  Replay add([&] { axpy<float>(1, x, y, this->ctx()); }, this->ctx());
  for (int i = 1; i <= 5; ++i) {
    add();
    EXPECT_EQ(this->first_of(y), 1.0f + static_cast<float>(i));
  }
}

// Sums and copies whose results go to the host, and work that contains such work.
TYPED_TEST(Replays, DoWorkThatWaitsForTheDevice) {
  const Array<C> x = this->ones();
  Array<C> y = this->ones();
  Context& ctx = this->ctx();
  Replay add_mean([&] { axpy<float>(dot<float>(x, y, ctx) / double{this->n}, x, y, ctx); }, ctx);
  Replay outer([&] { add_mean(); }, ctx);
  float expected = 1;
  for (int i = 0; i < 4; ++i) {
    outer();
    add_mean();
    EXPECT_EQ(this->first_of(y), expected *= 4);
  }
}

// Work that turns out not to be recordable is still done, and other work is recorded as before.
TYPED_TEST(Replays, DoWorkThatWaitsLaterOnly) {
  const Array<C> x = this->ones();
  Array<C> y = this->ones();
  Context& ctx = this->ctx();
  int times = 0;
  Replay add_later(
      [&] {
        const double factor = ++times == 1 ? 1 : dot<float>(x, x, ctx).real() / double{this->n};
        axpy<float>(factor, x, y, ctx);
      },
      ctx);
  for (int i = 1; i <= 4; ++i) {
    add_later();
    EXPECT_EQ(this->first_of(y), 1.0f + static_cast<float>(i));
  }
  Replay add([&] { axpy<float>(1, x, y, ctx); }, ctx);
  for (int i = 1; i <= 3; ++i) add();
  EXPECT_EQ(this->first_of(y), 8.0f);
}

// Preparations of the first run are not repeated.
TYPED_TEST(Replays, RecordWorkThatWaitsAtFirstOnly) {
  Array<C> y = this->ones();
  Context& ctx = this->ctx();
  int times = 0;
  Replay twice(
      [&] {
        if (++times == 1) ctx.synchronize();
        scale<float>(2, y.view(), ctx);
      },
      ctx);
  for (int i = 0; i < 5; ++i) twice();
  EXPECT_EQ(this->first_of(y), 32.0f);
#ifndef LARMOR_SEPARATE_SCRATCH
  EXPECT_EQ(times, this->device().on_gpu() ? 3 : 5);
#endif
}

TYPED_TEST(Replays, PassErrorsOn) {
  Array<C> y = this->ones();
  Context& ctx = this->ctx();
  int times = 0;
  Replay fail(
      [&] {
        scale<float>(2, y.view(), ctx);
        if (++times == 3) throw Error(ErrorClass::cancelled, "enough");
      },
      ctx);
  fail();
  fail();
  EXPECT_THROW(fail(), Error);
  Replay add([&] { scale<float>(2, y.view(), ctx); }, ctx);
  for (int i = 0; i < 3; ++i) add();
#ifndef LARMOR_SEPARATE_SCRATCH
  // An abandoned recording has had no effect.
  EXPECT_EQ(this->first_of(y), this->device().on_gpu() ? 32.0f : 64.0f);
#endif
}

}  // namespace
}  // namespace larmor::test
