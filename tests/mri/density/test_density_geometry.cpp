#include "random_arrays.hpp"

// Density weights from geometry: Voronoi cells, ring sectors, stacks.
#include <larmor/core/error.hpp>
#include <larmor/mri/density/density_geometry.hpp>
#include <larmor/mri/density/voronoi.hpp>
#include <larmor/mri/trajectory/spiral.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

namespace larmor {
namespace {

using std::numbers::pi;

template <typename Values>
double sum_of(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

Array<double> random_points(Index count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  Array<double> points({count, 2});
  for (double& value : points) value = uniform(generator);
  return points;
}

TEST(Voronoi, CellsOfARectangularGridReachHalfASpacingBeyondIt) {
  Context ctx;
  Array<double> points({7 * 5, 2});
  for (Index i = 0; i < 35; ++i) {
    points[2 * i] = 0.1 * static_cast<double>(i % 7) - 3;
    points[2 * i + 1] = 0.3 * static_cast<double>(i / 7);
  }
  for (double area : voronoi_areas(points, 1e-9, ctx)) EXPECT_NEAR(area, 0.03, 1e-12);
}

TEST(Voronoi, HexagonsInsideAHexagonalLattice) {
  Context ctx;
  Array<double> points({20 * 20, 2});
  for (Index row = 0; row < 20; ++row)
    for (Index i = 0; i < 20; ++i) {
      points[2 * (20 * row + i)] = static_cast<double>(i) + 0.5 * static_cast<double>(row % 2);
      points[2 * (20 * row + i) + 1] = std::sqrt(0.75) * static_cast<double>(row);
    }
  const auto areas = voronoi_areas(points, 1e-9, ctx);
  for (Index row = 2; row < 18; ++row)
    for (Index i = 2; i < 18; ++i) EXPECT_NEAR(areas[20 * row + i], std::sqrt(0.75), 1e-12);
}

// A point's cell is the part of a fine raster that is nearest to it.
TEST(Voronoi, CellsHoldTheNearestPoints) {
  Context ctx;
  const auto points = random_points(60, 3);
  const auto areas = voronoi_areas(points, 1e-9, ctx);
  constexpr int raster = 1500;
  std::vector<double> counted(60, 0.0);
  std::vector<bool> inside(60, true);
  for (int row = 0; row < raster; ++row)
    for (int column = 0; column < raster; ++column) {
      const double x = (column + 0.5) / raster - 0.5, y = (row + 0.5) / raster - 0.5;
      std::size_t nearest = 0;
      double least = 10;
      for (std::size_t i = 0; i < 60; ++i) {
        const auto at = static_cast<Index>(2 * i);
        const double square =
            (points[at] - x) * (points[at] - x) + (points[at + 1] - y) * (points[at + 1] - y);
        if (square < least) {
          least = square;
          nearest = i;
        }
      }
      counted[nearest] += 1.0 / (raster * raster);
      // Cells near the raster's border are truncated differently.
      if (std::max(std::abs(x), std::abs(y)) > 0.4) inside[nearest] = false;
    }
  int compared = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    if (!inside[i]) continue;
    EXPECT_NEAR(areas[static_cast<Index>(i)], counted[i], 2e-4) << i;
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

TEST(Voronoi, CellsFillTheSquareOfManyRandomPoints) {
  Context one(Device::cpu(), {.threads = 1}), two(Device::cpu(), {.threads = 2});
  const auto points = random_points(20000, 5);
  const auto areas = voronoi_areas(points, 1e-9, one);
  EXPECT_NEAR(sum_of(areas), 1, 0.015);
  for (double area : areas) EXPECT_GT(area, 0);
  const auto again = voronoi_areas(points, 1e-9, two);
  EXPECT_TRUE(std::equal(areas.begin(), areas.end(), again.begin()));
}

TEST(Voronoi, EqualPointsShareACell) {
  Context ctx;
  const auto points = random_points(300, 7);
  Array<double> repeated({400, 2});
  for (Index i = 0; i < 800; ++i) repeated[i] = points[i % 600];
  const auto once = voronoi_areas(points, 1e-9, ctx), shared = voronoi_areas(repeated, 1e-9, ctx);
  for (Index i = 0; i < 300; ++i) EXPECT_NEAR(shared[i], i < 100 ? once[i] / 2 : once[i], 1e-12);
}

TEST(Voronoi, PointsOnALineAreRefused) {
  Context ctx;
  Array<double> points({9, 2});
  for (Index i = 0; i < 9; ++i) points[2 * i] = points[2 * i + 1] = static_cast<double>(i);
  EXPECT_THROW(voronoi_areas(points, 1e-9, ctx), Error);
}

TEST(GeometricDensity, VoronoiEqualsTheRingSectorsOfRadialScans) {
  Context ctx;
  const Shape shape{40, 40};
  const auto radial = radial_2d({.spokes = 60, .samples = 80, .order = SpokeOrder::uniform});
  const auto cells = voronoi_density(radial.k, shape, ctx),
             sectors = radial_density(radial.k, 80, shape, ctx);
  EXPECT_NEAR(sum_of(cells) / sum_of(sectors), 1, 0.01);
  // Spokes end at −0.5 and just before 0.5: cells at the edge differ between the two kinds of ends.
  for (Index s = 0; s < 60; ++s)
    for (Index r = 2; r < 78; ++r)
      EXPECT_NEAR(cells[80 * s + r] / sectors[80 * s + r], 1, 0.06) << "spoke " << s << ", sample " << r;
}

TEST(GeometricDensity, CellsOfASpiralFillTheDisc) {
  Context ctx;
  const Shape shape{64, 64};
  for (const double edge : {1.0, 0.5}) {
    const auto spiral =
        variable_density_spiral({.fov_mm = 240, .matrix = 64, .interleaves = 5, .edge_density = edge});
    EXPECT_NEAR(sum_of(voronoi_density(spiral.k, shape, ctx)) / static_cast<double>(shape.size()), pi / 4,
                0.02)
        << "edge density " << edge;
  }
}

TEST(GeometricDensity, StacksAreThePlaneTimesTheirDistance) {
  Context ctx;
  const auto plane = radial_2d({.spokes = 12, .samples = 32});
  const auto stack = stack_of_stars({.spokes = 12, .samples = 32}, 6);
  const auto sectors = radial_density(plane.k, 32, {16, 16}, ctx),
             cells = voronoi_density(plane.k, {16, 16}, ctx);
  const auto stacked = analytic_density(stack.k, 32, {6, 16, 16}, ctx),
             stacked_cells = voronoi_density(stack.k, {6, 16, 16}, ctx);
  for (Index s = 0; s < 12; ++s)
    for (Index p = 0; p < 6; ++p)
      for (Index r = 0; r < 32; ++r) {
        EXPECT_NEAR(stacked[(6 * s + p) * 32 + r], sectors[32 * s + r], 1e-9);
        EXPECT_NEAR(stacked_cells[(6 * s + p) * 32 + r], cells[32 * s + r], 1e-9);
      }
}

TEST(GeometricDensity, AnalyticIsRadialWhereReadoutsAreStraightAndOtherwiseVoronoi) {
  Context ctx;
  const Shape shape{32, 32};
  const auto radial = radial_2d({.spokes = 9, .samples = 64});
  const auto spiral = variable_density_spiral({.fov_mm = 240, .matrix = 32, .interleaves = 4});
  const auto ball = kooshball_3d(50, 16);
  const auto equal = [](const Array<double>& a, const Array<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  };
  EXPECT_TRUE(equal(analytic_density(radial.k, 64, shape, ctx), radial_density(radial.k, 64, shape, ctx)));
  EXPECT_TRUE(equal(analytic_density(spiral.k, spiral.samples_per_readout, shape, ctx),
                    voronoi_density(spiral.k, shape, ctx)));
  EXPECT_TRUE(
      equal(analytic_density(ball.k, 16, {16, 16, 16}, ctx), radial_density(ball.k, 16, {16, 16, 16}, ctx)));
  EXPECT_THROW(voronoi_density(kooshball_3d(500, 16).k, {8, 8, 8}, ctx), Error);
}

}  // namespace
}  // namespace larmor
