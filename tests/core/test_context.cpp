#include "device_cases.hpp"
#include "error_of.hpp"

#include <larmor/core/context.hpp>
#include <larmor/core/parallel.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace larmor::test {
namespace {

template <typename Case>
class Arenas : public OnDevice<Case> {};
TYPED_TEST_SUITE(Arenas, FloatCases, CaseNames);

TYPED_TEST(Arenas, TakeAndRewindLikeAStack) {
  Context& ctx = this->ctx();
  ctx.arena().reserve(1000);
  {
    Scratch outer(ctx);
    const auto a = outer.take<float>({10});
    EXPECT_EQ(a.device(), this->device());
    EXPECT_EQ(ctx.arena().in_use(), 256u);
    {
      Scratch inner(ctx);
      const auto b = inner.take<double>({40});
      EXPECT_NE(static_cast<void*>(a.data()), static_cast<void*>(b.data()));
      EXPECT_EQ(ctx.arena().in_use(), 256u + 512u);
      EXPECT_EQ(Scratch::bytes<double>({40}), 512u);
    }
    EXPECT_EQ(ctx.arena().in_use(), 256u);
  }
  EXPECT_EQ(ctx.arena().in_use(), 0u);
}

TYPED_TEST(Arenas, RefuseMoreThanWasReserved) {
  Context& ctx = this->ctx();
  ctx.arena().reserve(256);
  Scratch scratch(ctx);
  EXPECT_THROW(scratch.take<float>({100}), Error);
}

TYPED_TEST(Arenas, GiveTheirMemoryBack) {
  const std::size_t before = this->memory().current_bytes;
  {
    Context ctx = this->context({});
    ctx.arena().reserve(4096);
    Scratch scratch(ctx);
    scratch.take<float>({8});
    EXPECT_GT(this->memory().current_bytes, before);
  }
  EXPECT_EQ(this->memory().current_bytes, before);
}

#ifdef LARMOR_SEPARATE_SCRATCH
TYPED_TEST(Arenas, SeparateScratchIsFilledWithNan) {
  Context& ctx = this->ctx();
  ctx.arena().reserve(256);
  Scratch scratch(ctx);
  for (const float value : fetched(scratch.take<float>({8}))) EXPECT_TRUE(std::isnan(value));
}
#else
TYPED_TEST(Arenas, NeverMoveMemoryInUse) {
  Context& ctx = this->ctx();
  ctx.arena().reserve(512);
  Scratch scratch(ctx);
  scratch.take<float>({8});
  EXPECT_THROW(ctx.arena().reserve(4096), Error);
  EXPECT_NO_THROW(ctx.arena().reserve(256));
}

TYPED_TEST(Arenas, SurviveARequestThatCannotBeMet) {
  Context& ctx = this->ctx();
  const std::size_t before = this->memory().current_bytes;
  EXPECT_THROW(ctx.arena().reserve(std::size_t{1} << 50), Error);
  EXPECT_EQ(this->memory().current_bytes, before);
  EXPECT_EQ(ctx.arena().in_use(), 0u);
  ctx.arena().reserve(256);
  Scratch scratch(ctx);
  EXPECT_NO_THROW(scratch.take<float>({8}));
}
#endif

TEST(Context, CancellationIsAnErrorOfItsOwnClass) {
  std::atomic<bool> cancel{false};
  const Context ctx(Device::cpu(), {.cancel = &cancel});
  EXPECT_NO_THROW(ctx.throw_if_cancelled());
  cancel = true;
  EXPECT_EQ(error_of([&] { ctx.throw_if_cancelled(); }).substr(0, 5), "130: ");
}

TEST(Context, NegativeThreadsAreRefused) {
  EXPECT_THROW(Context(Device::cpu(), {.threads = -1}), Error);
  EXPECT_GE(Context().threads(), 1);
}

TEST(ParallelFor, VisitsEveryIndexOnceInWholeChunks) {
  for (const int threads : {1, 2, 5}) {
    const Context ctx(Device::cpu(), {.threads = threads});
    std::vector<int> visits(1003, 0);
    parallel_for(ctx, 1003, 10, [&](Index begin, Index end, int thread) {
      EXPECT_EQ(begin % 10, 0);
      EXPECT_LE(end - begin, 10);
      EXPECT_LT(thread, threads);
      for (Index i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    for (const int count : visits) EXPECT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace larmor::test
