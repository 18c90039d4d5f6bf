#include "mri/synthetic_scan.hpp"
#include "random_arrays.hpp"
#include "ranks.hpp"

#include <larmor/mri/quality/kspace_region.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <algorithm>

namespace larmor {
namespace {

double share(const Array<float>& region) {
  double sum = 0;
  for (const float value : region) sum += value;
  return sum / static_cast<double>(region.size());
}

Array<double> points(const std::vector<std::array<double, 3>>& values, Index dims) {
  Array<double> k({static_cast<Index>(values.size()), dims});
  for (Index j = 0; j < k.shape()[0]; ++j)
    for (Index axis = 0; axis < dims; ++axis)
      k[j * dims + axis] = values[static_cast<std::size_t>(j)][static_cast<std::size_t>(axis)];
  return k;
}

TEST(KspaceRegion, BallAndDiscHaveTheirVolumes) {
  EXPECT_NEAR(share(ball_of_kspace({64, 64})), std::numbers::pi / 4, 0.02);
  EXPECT_NEAR(share(ball_of_kspace({40, 48, 56})), std::numbers::pi / 6, 0.02);
  // Index 0 is k = −1/2, which only the axis contains.
  const auto disc = ball_of_kspace({8, 8});
  EXPECT_EQ(disc[4 * 8], 1);
  EXPECT_EQ(disc[3 * 8], 0);
}

TEST(KspaceRegion, HullOfATriangleByHand) {
  Context ctx;
  const auto k = points({{-0.25, -0.25, 0}, {0.25, -0.25, 0}, {-0.25, 0.25, 0}}, 2);
  const auto region = hull_of_kspace(k, {8, 8}, ctx);
  // Points at multiples of 1/8: the triangle has 5 + 4 + 3 + 2 + 1 of them.
  EXPECT_EQ(share(region) * 64, 15);
  EXPECT_EQ(region[2 * 8 + 6], 1);  // (0.25, −0.25)
  EXPECT_EQ(region[3 * 8 + 6], 0);
}

TEST(KspaceRegion, HullOfSpokesIsADiscAndOfAStackACylinder) {
  Context ctx;
  std::vector<std::array<double, 3>> flat, stack, ball;
  for (int s = 0; s < 180; ++s)
    for (const double r : {-0.5, 0.1, 0.5}) {
      const double angle = std::numbers::pi * s / 180;
      flat.push_back({r * std::cos(angle), r * std::sin(angle), 0});
      for (const double z : {-0.5, 0.25}) stack.push_back({flat.back()[0], flat.back()[1], z});
    }
  const auto disc = hull_of_kspace(points(flat, 2), {64, 64}, ctx);
  const auto exact = ball_of_kspace({64, 64});
  EXPECT_NEAR(share(disc), share(exact), 0.003);
  const auto cylinder = hull_of_kspace(points(stack, 3), {16, 64, 64}, ctx);
  // kz from −1/2 to 1/4: 13 of 16 planes, each a disc.
  EXPECT_NEAR(share(cylinder), share(exact) * 13 / 16, 0.003);
}

// Each rank has a part of the samples, the last one none.
TEST(KspaceRegion, PartnersHaveTheHullOfAllSamples) {
  const auto all = test::random_real({90, 2}, -0.4, 0.5, 3);
  Context ctx;
  const auto whole = hull_of_kspace(all, {32, 20}, ctx);
  test::as_ranks(3, [&](const std::shared_ptr<Communicator>& ranks) {
    Context own;
    const Index part = ranks->rank() < 2 ? 45 : 0;
    const View<const double> samples(all.data() + 2 * 45 * (ranks->rank() % 2), {part, 2});
    const auto region = hull_of_kspace(samples, {32, 20}, own, ranks.get());
    EXPECT_TRUE(std::equal(region.begin(), region.end(), whole.begin()));
  });
}

TEST(KspaceRegion, WhatIsNotSampledIsCountedByCells) {
  Context ctx;
  // Cells of 1/8 by 1/4: two samples share one, k = ±1/2 are the same, and 0.6 folds to −0.4.
  const auto k = points({{0, 0, 0}, {0.06, -0.12, 0}, {0.5, 0, 0}, {-0.5, 0, 0}, {0.6, 0.3, 0}}, 2);
  EXPECT_DOUBLE_EQ(part_not_sampled(k, {4, 8}, ctx), 1 - 3.0 / 32);
  EXPECT_DOUBLE_EQ(part_not_sampled(points({{0.06, 0, 0}, {0.07, 0, 0}}, 2), {4, 8}, ctx), 1 - 2.0 / 32);
  // Every second line of a Cartesian slice, and one plane of a volume.
  std::vector<std::array<double, 3>> lines, plane;
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 10; ++x) {
      if (y % 2 == 0) lines.push_back({(x - 5) / 10.0, (y - 3) / 6.0, 0});
      plane.push_back({(x - 5) / 10.0, (y - 3) / 6.0, 0.25});
    }
  EXPECT_DOUBLE_EQ(part_not_sampled(points(lines, 2), {6, 10}, ctx), 0.5);
  EXPECT_DOUBLE_EQ(part_not_sampled(points(plane, 3), {4, 6, 10}, ctx), 0.75);
  EXPECT_THROW(part_not_sampled(k, {4, 4, 4}, ctx), Error);
}

TEST(KspaceRegion, PartOnOneSide) {
  Context ctx;
  // Of 8 x 4 points: (1, 1) has its mirror image (-1, -1), (2, 1) has none, and k = 0 and -1/2 are their own.
  const auto k = points({{0.125, 0.25, 0}, {-0.125, -0.25, 0}, {0.25, 0.25, 0}, {0, 0, 0}, {-0.5, 0, 0}}, 2);
  EXPECT_DOUBLE_EQ(part_on_one_side(k, {4, 8}, ctx), 0.2);
  std::vector<std::array<double, 3>> half;
  for (int z = -2; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = -3; x < 3; ++x) half.push_back({x / 6.0, y / 6.0, z / 4.0});
  EXPECT_DOUBLE_EQ(part_on_one_side(points(half, 3), {4, 6, 6}, ctx), 2.0 / 3);
  EXPECT_THROW(part_on_one_side(k, {4, 4, 4}, ctx), Error);
}

TEST(KspaceRegion, LackingAtHalfResolution) {
  Context ctx;
  // Lines -2 to 7 of 16: line -2 of a scan of 8 lines corresponds to line -4 of this one, which is not
  // sampled, but line 4 is.
  std::vector<std::array<double, 3>> lines;
  for (int y = -2; y < 8; ++y)
    for (int x = -2; x < 2; ++x) lines.push_back({x / 4.0, y / 16.0, 0});
  const auto lacking = lacking_at_half_resolution(points(lines, 2), {16, 4}, ctx);
  for (std::size_t j = 0; j < lines.size(); ++j)
    EXPECT_EQ(lacking[j], j / 4 == 0 && lines[j][0] == 0 ? 1 : 0) << j;
  // A spoke through the centre from -1/8 to 3/8 has all samples that one of half its length needs.
  std::vector<std::array<double, 3>> spoke;
  for (int i = -2; i < 7; ++i) spoke.push_back({i / 16.0, 0, 0});
  spoke.push_back({-4 / 16.0, 0, 0});
  for (const std::uint8_t value : lacking_at_half_resolution(points(spoke, 2), {16, 16}, ctx))
    EXPECT_EQ(value, 0);
  EXPECT_THROW(lacking_at_half_resolution(points(spoke, 2), {4, 4, 4}, ctx), Error);
}

TEST(KspaceRegion, ImagesKeepWhatIsInside) {
  Context ctx;
  // One wave inside the disc and one in a corner of k-space, in an image of odd and even extents.
  const Shape shape{18, 15};
  Array<std::complex<float>> inside(shape), both(shape.prepend(2));
  for (Index i = 0; i < inside.size(); ++i) {
    const double y = static_cast<double>(i / 15 - 9) / 18, x = static_cast<double>(i % 15 - 7) / 15;
    const auto low = std::polar(1.0, 2 * std::numbers::pi * (4 * y - 3 * x));
    const auto corner = std::polar(2.0, 2 * std::numbers::pi * (-8 * y + 7 * x));
    inside[i] = std::complex<float>(low);
    both[i] = std::complex<float>(low + corner);
    both[i + inside.size()] = std::complex<float>(3.0 * low - corner);
  }
  const auto kept = inside_of_kspace(both, ball_of_kspace(shape), ctx);
  for (Index i = 0; i < inside.size(); ++i) {
    EXPECT_LT(std::abs(kept[i] - inside[i]), 1e-5);
    EXPECT_LT(std::abs(kept[i + inside.size()] - 3.0F * inside[i]), 1e-5);
  }
}

TEST(KspaceRegion, WhatHasNoHullIsSaid) {
  Context ctx;
  EXPECT_EQ(test::error_of([&] {
              hull_of_kspace(Array<double>({0, 2}), {8, 8}, ctx);
            }),
            "3: the trajectory has no samples");
  const auto k = points({{NAN, 0, 0}}, 2);
  EXPECT_EQ(test::error_of([&] {
              hull_of_kspace(k, {8, 8}, ctx);
            }),
            "3: the trajectory's value 0 is not a finite number");
  EXPECT_NE(test::error_of([&] { hull_of_kspace(points({{0, 0, 0}}, 2), {8, 8, 8}, ctx); }), "");
}

}  // namespace
}  // namespace larmor
