#include <larmor/core/context.hpp>
#include <larmor/core/parallel.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace larmor::test {
namespace {

TEST(Arena, TakesAndRewindsLikeAStack) {
  Context ctx;
  ctx.arena().reserve(1000);
  {
    Scratch outer(ctx);
    const auto a = outer.take<float>({10});
    EXPECT_EQ(ctx.arena().in_use(), 64u);
    {
      Scratch inner(ctx);
      const auto b = inner.take<double>({20});
      EXPECT_NE(static_cast<void*>(a.data()), static_cast<void*>(b.data()));
      EXPECT_EQ(ctx.arena().in_use(), 64u + 192u);
    }
    EXPECT_EQ(ctx.arena().in_use(), 64u);
  }
  EXPECT_EQ(ctx.arena().in_use(), 0u);
}

TEST(Arena, RefusesMoreThanWasReserved) {
  Context ctx;
  ctx.arena().reserve(128);
  Scratch scratch(ctx);
  EXPECT_THROW(scratch.take<float>({100}), Error);
}

#ifdef LARMOR_SEPARATE_SCRATCH
TEST(Arena, SeparateScratchIsFilledWithNan) {
  Context ctx;
  ctx.arena().reserve(128);
  Scratch scratch(ctx);
  for (const float value : scratch.take<float>({8})) EXPECT_TRUE(std::isnan(value));
}
#else
TEST(Arena, NeverMovesMemoryInUse) {
  Context ctx;
  ctx.arena().reserve(128);
  Scratch scratch(ctx);
  scratch.take<float>({8});
  EXPECT_THROW(ctx.arena().reserve(4096), Error);
  EXPECT_NO_THROW(ctx.arena().reserve(64));
}
#endif

TEST(Context, CancellationIsAnErrorOfItsOwnClass) {
  std::atomic<bool> cancel{false};
  const Context ctx(Device::cpu(), {.cancel = &cancel});
  EXPECT_NO_THROW(ctx.throw_if_cancelled());
  cancel = true;
  try {
    ctx.throw_if_cancelled();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 130);
  }
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
