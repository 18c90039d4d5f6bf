#include <larmor/operators/nufft/spread/place.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace larmor::nufft {
namespace {

// Each cell belongs to the last tile that starts at or before it; tile sizes differ by at most a cell.
TEST(Place, TilesShareTheCells) {
  for (const double tiles : {1., 2., 20., 34., 7812.})
    for (const double cells : {16 * tiles, 16 * tiles + 1, 16.2 * tiles, 20.5 * tiles, 31 * tiles}) {
      const PlaceAxis axis{std::floor(cells), tiles, 1};
      ASSERT_TRUE(axis.exact());
      EXPECT_EQ(axis.first_cell(0), 0);
      EXPECT_EQ(axis.first_cell(static_cast<std::int64_t>(tiles)), static_cast<std::int64_t>(axis.cells));
      std::int64_t tile = 0;
      for (std::int64_t cell = 0; cell < static_cast<std::int64_t>(axis.cells); ++cell) {
        while (axis.first_cell(tile + 1) <= cell) ++tile;
        EXPECT_EQ(std::floor((static_cast<double>(cell) + axis.bias()) * axis.tiles_per_cell()), tile)
            << cell << " of " << axis.cells;
      }
    }
}

// Tile, cell and fraction give the point's position, in every dimension, also for integer positions and for
// incomplete blocks and groups.
template <typename T>
void expect_positions(int dims, int width) {
  const PlaceAxis axes[3] = {{162, 20, 1}, {48, 6, 20}, {9, 1, 120}};
  const PlaceGrid grid(axes, dims, width);
  constexpr int count = place_block - 3;
  std::vector<double> points(static_cast<std::size_t>(count * dims));
  std::mt19937 random(1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double cells = axes[i % static_cast<std::size_t>(dims)].cells;
    points[i] = std::uniform_real_distribution<double>(-1.5, 1.5)(random);
    if (i % 3 == 1) points[i] = std::round(points[i] * cells) / cells;
  }
  Places<T> places;
  ASSERT_TRUE(place_points<T>(dims)({points.data(), {}, 1}, 0, count, grid, places));
  for (int j = 0; j < count; ++j) {
    auto tile = static_cast<std::int64_t>(places.where[j] >> tile_shift);
    for (int a = 0; a < dims; ++a) {
      const PlaceAxis& axis = axes[a];
      const auto along = tile % static_cast<std::int64_t>(axis.tiles);
      tile /= static_cast<std::int64_t>(axis.tiles);
      const auto local = static_cast<std::int64_t>(places.where[j] >> (8 * a) & 255);
      const std::int64_t cell = axis.first_cell(along) + local;
      EXPECT_LT(cell, axis.first_cell(along + 1));
      const double fraction = places.fraction[j * dims + a];
      EXPECT_GE(fraction, 0);
      EXPECT_LE(fraction, 1);
      const double position = static_cast<double>(cell) - fraction + 0.5 * width;
      EXPECT_NEAR(
          std::remainder(position - points[static_cast<std::size_t>(j * dims + a)] * axis.cells, axis.cells),
          0, sizeof(T) == 4 ? 1e-7 : 1e-13);
    }
    EXPECT_EQ(tile, 0);
  }
}

TEST(Place, FindsPositions) {
  for (const int dims : {1, 2, 3})
    for (const int width : {3, 4, 9}) {
      expect_positions<float>(dims, width);
      expect_positions<double>(dims, width);
    }
}

// Whole turns are removed without rounding, for any number of turns.
TEST(Place, TurnsDoNotCount) {
  const PlaceAxis axes[3] = {{640, 40, 1}, {1, 1, 40}, {1, 1, 40}};
  const PlaceGrid grid(axes, 1, 4);
  std::vector<double> near, far;
  for (const double turns : {0., 1., -3., 1e6, -1e9, 0x1p42, -0x1p42, 0x1p60, -1e300})
    for (const double k : {0., 0.25, -0.375, 0.4990234375}) {
      near.push_back(turns + k == turns ? 0 : k);
      far.push_back(turns + k);
    }
  Places<double> expected, found;
  const auto count = static_cast<std::ptrdiff_t>(near.size());
  ASSERT_TRUE(place_points<double>(1)({near.data(), {}, 1}, 0, count, grid, expected));
  ASSERT_TRUE(place_points<double>(1)({far.data(), {}, 1}, 0, count, grid, found));
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    EXPECT_EQ(found.where[i], expected.where[i]) << far[static_cast<std::size_t>(i)];
    EXPECT_EQ(found.fraction[i], expected.fraction[i]) << far[static_cast<std::size_t>(i)];
  }
}

TEST(Place, RefusesWhatIsNotFinite) {
  const PlaceAxis axes[3] = {{64, 4, 1}, {64, 4, 4}, {1, 1, 16}};
  const PlaceGrid grid(axes, 2, 4);
  Places<float> places;
  for (const double wrong : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    std::vector<double> points(26, 0.25);
    EXPECT_TRUE(place_points<float>(2)({points.data(), {}, 1}, 0, 13, grid, places));
    points[23] = wrong;
    EXPECT_FALSE(place_points<float>(2)({points.data(), {}, 1}, 0, 13, grid, places));
    EXPECT_TRUE(place_points<float>(2)({points.data(), {}, 1}, 0, 11, grid, places));
  }
}

}  // namespace
}  // namespace larmor::nufft
