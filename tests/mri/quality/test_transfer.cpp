#include <larmor/mri/quality/shells.hpp>
#include <larmor/mri/quality/transfer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace larmor {
namespace {

TEST(Shells, AreAsManyCellsFromTheCentreAlongEveryAxis) {
  const Shells shells({2, 16, 64, 48}, 3);
  EXPECT_EQ(shells.to_edge(), 16);
  const auto value = [](Index z, Index y, Index x) { return ((16 + 8 + z) * 64 + 32 + y) * 48 + 24 + x; };
  for (const Index i : {value(-6, 0, 0), value(0, 6, 0), value(0, 0, -6)}) {
    EXPECT_DOUBLE_EQ(shells.radius(i), 6.0 / 32);
    EXPECT_EQ(shells.of(i), 3);
  }
  EXPECT_LT(shells.of(value(-8, -32, -24)), shells.count());
  const std::vector<double> row = shells.radii(3 * 64 + 10);
  ASSERT_EQ(row.size(), 48U);
  for (Index x = 0; x < 48; ++x)
    EXPECT_DOUBLE_EQ(row[static_cast<std::size_t>(x)], shells.radius((3 * 64 + 10) * 48 + x));
}

// 0.9 at the centre, half of that at the radius `half`.
TEST(Transfer, IsThatOfAKnownFilter) {
  constexpr int to_edge = 40;
  for (const double half : {0.3, 0.6, 5.0}) {
    std::vector<ShellTransfer> shells;
    double lost = 0, all = 0;
    for (int s = 0; s < to_edge; ++s) {
      const double radius = (s + 0.5) / to_edge, power = std::pow(10.0, -0.8 * radius),
                   t = 0.9 / (1 + std::pow(radius / half, 2));
      shells.push_back({power, t * power});
      all += power;
      lost += std::pow(1 - t, 2) * power;
    }
    const Transfer found = transfer_of_shells(shells, to_edge);
    EXPECT_NEAR(found.bias, std::sqrt(lost / all), 1e-12) << half;
    EXPECT_NEAR(1 / found.resolution, std::min(half, 1.0), 0.02) << half;
  }
}

TEST(Transfer, OfAnObjectThatEndsWithinKSpace) {
  std::vector<ShellTransfer> shells(40);
  EXPECT_TRUE(std::isnan(transfer_of_shells(shells, 40).bias));
  std::fill_n(shells.begin(), 25, ShellTransfer{1, 1});
  const Transfer found = transfer_of_shells(shells, 40);
  EXPECT_EQ(found.bias, 0);
  EXPECT_NEAR(1 / found.resolution, 25.0 / 40, 0.02);
}

}  // namespace
}  // namespace larmor
