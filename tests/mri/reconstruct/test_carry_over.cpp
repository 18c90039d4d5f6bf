#include <larmor/mri/automatic/thinned.hpp>

#include <gtest/gtest.h>

namespace larmor {
namespace {

AutomaticCandidate found_for_a_part(Index iterations, double lambda) {
  AutomaticCandidate found{DensityKind::none, {}, {}};
  found.choice.largest_eigenvalue = 2;
  found.choice.best = {lambda, iterations, 0.1};
  found.choice.near_best = iterations;
  return found;
}

TEST(CarryOver, KeepsTheWeightOfASampleAndAsksForMoreIterations) {
  AutomaticCandidate slice = found_for_a_part(10, 0.01), volume = found_for_a_part(10, 0);
  carry_over(slice, 8, 2);
  EXPECT_DOUBLE_EQ(slice.choice.best.lambda * slice.choice.largest_eigenvalue, 0.01 * 2);
  EXPECT_EQ(slice.choice.best.iterations, 23);  // 4^0.6 times
  EXPECT_EQ(slice.choice.near_best, 23);
  carry_over(volume, 8, 3);
  EXPECT_EQ(volume.choice.best.lambda, 0);
  EXPECT_EQ(volume.choice.best.iterations, 27);  // 3.3 √4 10^0.6
}

}  // namespace
}  // namespace larmor
