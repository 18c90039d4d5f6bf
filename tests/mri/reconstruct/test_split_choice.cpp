// What ranks are expected to be quickest with, from sizes alone.
#include <larmor/mri/automatic/split_choice.hpp>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

constexpr Workload volume{.dims = 3,
                          .pixels = 1.7e7,
                          .samples = 3e6,
                          .coils = 32,
                          .images = 1,
                          .iterations = 200,
                          .calibrated = 1.7e7};
constexpr Workload slices{.dims = 2,
                          .pixels = 128 * 65536.0,
                          .samples = 128 * 5e4,
                          .coils = 16,
                          .images = 128,
                          .iterations = 100,
                          .calibrated = 128 * 65536.0};
constexpr Workload series{.dims = 2,
                          .pixels = 200 * 65536.0,
                          .samples = 200 * 17000.0,
                          .coils = 16,
                          .images = 1,
                          .iterations = 600,
                          .calibrated = 65536};

double seconds(const RankedWork& work, Divided divided) {
  return predicted_time(work, divided).seconds;
}

TEST(SplitChoice, TwiceAsManyRanksTakeHalfTheIterations) {
  const RankedWork one{.whole = volume, .ranks = 1, .on_gpus = true, .nccl = true};
  RankedWork two = one;
  two.ranks = 2;
  const double alone = seconds(one, Divided::coils), shared = seconds(two, Divided::coils);
  EXPECT_GT(shared, 0.5 * alone);
  EXPECT_LT(shared, 0.6 * alone);
  // All samples' point-spread function is the same as that of some.
  EXPECT_GT(seconds(two, Divided::samples), 0.85 * alone);
}

TEST(SplitChoice, SlicesNeedNotExchangeImages) {
  const RankedWork work{.whole = slices, .ranks = 4, .on_gpus = true, .nccl = true};
  EXPECT_LT(seconds(work, Divided::problems), seconds(work, Divided::coils));
  // Five images keep one of four ranks twice as long as the others.
  RankedWork four = work, five = work;
  four.whole.images = 4;
  five.whole.images = 5;
  EXPECT_GT(seconds(five, Divided::problems), 1.5 * seconds(four, Divided::problems));
}

TEST(SplitChoice, FramesThatATermCouplesTravel) {
  RankedWork work{.whole = series, .ranks = 2, .on_gpus = true, .nccl = false, .frames = 200, .apart = true};
  const double apart = seconds(work, Divided::frames);
  work.apart = false;
  const double coupled = seconds(work, Divided::frames);
  EXPECT_GT(coupled, 2 * apart);
  work.nccl = true;
  EXPECT_LT(seconds(work, Divided::frames), 0.5 * coupled);
}

TEST(SplitChoice, OneRankIsQuickestWhereTheOthersOnlyTalk) {
  // Iterations of one coil cost the same for any number of samples.
  Workload one_coil = volume;
  one_coil.coils = 1;
  one_coil.calibrated = 0;
  one_coil.iterations = 1000;
  const RankedWork work{.whole = one_coil, .ranks = 2, .on_gpus = true, .nccl = true};
  EXPECT_GT(seconds(work, Divided::samples), seconds(work, Divided::nothing));
  RankedWork gridding = work;
  gridding.whole.iterations = 0;
  gridding.whole.samples = 1e8;
  EXPECT_LT(seconds(gridding, Divided::samples), 0.7 * seconds(gridding, Divided::nothing));
  EXPECT_GT(seconds({.whole = volume, .ranks = 2}, Divided::nothing),
            1.5 * seconds({.whole = volume, .ranks = 2}, Divided::coils));
}

TEST(SplitChoice, TakesTheFirstThatIsHardlySlower) {
  using enum Divided;
  EXPECT_EQ(chosen({{problems, 1.05}, {coils, 1.0}}).divided, problems);
  EXPECT_EQ(chosen({{problems, 1.5}, {frames, 1.2}, {coils, 1.0}}).divided, coils);
  EXPECT_EQ(to_string({{problems, 1.5}, {coils, 0.25}}), "images 1.5 s, coils 0.25 s");
}

}  // namespace
}  // namespace larmor::test
