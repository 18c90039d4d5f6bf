#include <larmor/core/error.hpp>
#include <larmor/mri/trajectory/spiral.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace larmor {
namespace {

using std::numbers::phi;
using std::numbers::pi;

TEST(Trajectories, RadialSpokesByHand) {
  const auto radial = radial_2d({.spokes = 2, .samples = 4, .order = SpokeOrder::uniform});
  ASSERT_EQ(radial.k.shape(), (Shape{8, 2}));
  EXPECT_EQ(radial.readouts, 2);
  EXPECT_EQ(radial.samples_per_readout, 4);
  const double along[4] = {-0.5, -0.25, 0, 0.25};
  for (Index r = 0; r < 4; ++r) {
    EXPECT_NEAR(radial.k[2 * r], along[r], 1e-15);
    EXPECT_NEAR(radial.k[2 * r + 1], 0, 1e-15);
    EXPECT_NEAR(radial.k[8 + 2 * r], 0, 1e-15);
    EXPECT_NEAR(radial.k[8 + 2 * r + 1], along[r], 1e-15);
  }
}

TEST(Trajectories, OddSpokesPassThroughTheCentre) {
  const auto radial = radial_2d({.spokes = 5, .samples = 7});
  for (Index s = 0; s < 5; ++s) {
    EXPECT_EQ(radial.k[(s * 7 + 3) * 2], 0);
    EXPECT_EQ(radial.k[(s * 7 + 3) * 2 + 1], 0);
  }
}

TEST(Trajectories, SpokeAngles) {
  RadialOptions options{.spokes = 10, .samples = 4};
  EXPECT_NEAR(spoke_angle(3, options), 3 * pi / phi, 1e-12);
  EXPECT_NEAR(spoke_angle(1, options) * 180 / pi, 111.246, 1e-3);
  options.order = SpokeOrder::tiny_golden;
  options.tiny_golden_index = 7;
  EXPECT_NEAR(spoke_angle(1, options) * 180 / pi, 23.628, 1e-3);  // Wundrak et al. 2015, table 1
  options.order = SpokeOrder::uniform;
  EXPECT_NEAR(spoke_angle(5, options), pi / 2, 1e-15);
  options.centre_out = true;
  EXPECT_NEAR(spoke_angle(5, options), pi, 1e-15);
  const auto half = radial_2d(options);
  EXPECT_EQ(half.k[0], 0);
  EXPECT_NEAR(half.k[2 * 3], 0.375, 1e-15);
}

TEST(Trajectories, KooshballDirections) {
  const Index spokes = 500, samples = 5;
  const auto ball = kooshball_3d(spokes, samples);
  ASSERT_EQ(ball.k.shape(), (Shape{spokes * samples, 3}));
  double mean[3] = {0, 0, 0};
  for (Index s = 0; s < spokes; ++s) {
    const double* end = ball.k.data() + (s * samples + samples - 1) * 3;
    EXPECT_NEAR(std::hypot(end[0], end[1], end[2]), 0.4, 1e-12);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(ball.k[s * samples * 3 + axis], 0);
      mean[axis] += end[axis] / 0.4 / static_cast<double>(spokes);
    }
  }
  // The second spoke by definition, and directions that cover the sphere evenly.
  EXPECT_NEAR(ball.k[(samples + 4) * 3 + 2] / 0.4, 2 * 0.465571231876768 - 1, 1e-12);
  EXPECT_NEAR(std::atan2(ball.k[(samples + 4) * 3 + 1], ball.k[(samples + 4) * 3]),
              2 * pi * (0.682327803828019 - 1), 1e-12);
  for (double component : mean) EXPECT_NEAR(component, 0, 0.01);
}

TEST(Trajectories, StackOfStarsRepeatsTheStar) {
  const RadialOptions options{.spokes = 3, .samples = 4};
  const auto star = radial_2d(options);
  const auto stack = stack_of_stars(options, 5);
  ASSERT_EQ(stack.k.shape(), (Shape{3 * 5 * 4, 3}));
  EXPECT_EQ(stack.readouts, 15);
  for (Index s = 0; s < 3; ++s)
    for (Index p = 0; p < 5; ++p)
      for (Index r = 0; r < 4; ++r) {
        const double* k = stack.k.data() + ((s * 5 + p) * 4 + r) * 3;
        EXPECT_EQ(k[0], star.k[(s * 4 + r) * 2]);
        EXPECT_EQ(k[1], star.k[(s * 4 + r) * 2 + 1]);
        EXPECT_NEAR(k[2], (static_cast<double>(p) - 2) / 5, 1e-15);
      }
}

TEST(Trajectories, RotatedStackOfStarsTurnsEveryPartition) {
  const RadialOptions options{.spokes = 3, .samples = 4, .order = SpokeOrder::uniform};
  const auto plain = stack_of_stars(options, 5), turned = rotated_stack_of_stars(options, 5);
  ASSERT_EQ(turned.k.shape(), plain.k.shape());
  EXPECT_EQ(turned.readouts, 15);
  for (Index s = 0; s < 3; ++s)
    for (Index p = 0; p < 5; ++p) {
      const double golden = static_cast<double>(p) / std::numbers::phi;
      const double angle = s * pi / 3 + (golden - std::floor(golden)) * pi / 3;
      for (Index r = 0; r < 4; ++r) {
        const Index at = ((s * 5 + p) * 4 + r) * 3;
        const double radius = (static_cast<double>(r) - 2) / 4;
        EXPECT_NEAR(turned.k[at], radius * std::cos(angle), 1e-15);
        EXPECT_NEAR(turned.k[at + 1], radius * std::sin(angle), 1e-15);
        EXPECT_EQ(turned.k[at + 2], plain.k[at + 2]);
      }
    }
}

TEST(Trajectories, CartesianPointsOfAnOddAndAnEvenAxis) {
  const auto grid = cartesian_points({3, 2});
  const double expected[6][2] = {{-0.5, -1.0 / 3}, {0, -1.0 / 3},   {-0.5, 0},
                                 {0, 0},           {-0.5, 1.0 / 3}, {0, 1.0 / 3}};
  EXPECT_EQ(grid.readouts, 3);
  EXPECT_EQ(grid.samples_per_readout, 2);
  for (Index j = 0; j < 6; ++j) {
    EXPECT_NEAR(grid.k[2 * j], expected[j][0], 1e-15);
    EXPECT_NEAR(grid.k[2 * j + 1], expected[j][1], 1e-15);
  }
  EXPECT_EQ(cartesian_points({4, 3, 2}).k.shape(), (Shape{24, 3}));
}

TEST(Trajectories, RefuseEmptyCounts) {
  EXPECT_THROW(radial_2d({.spokes = 0, .samples = 4}), Error);
  EXPECT_THROW(radial_2d({.spokes = 4, .samples = -1}), Error);
  EXPECT_THROW(kooshball_3d(0, 3), Error);
  EXPECT_THROW(stack_of_stars({.spokes = 1, .samples = 1}, 0), Error);
  EXPECT_THROW(rotated_stack_of_stars({.spokes = 0, .samples = 1}, 2), Error);
  EXPECT_THROW(cartesian_points({4, 0}), Error);
  EXPECT_THROW(variable_density_spiral({.interleaves = 0}), Error);
  EXPECT_THROW(variable_density_spiral({.max_slew_t_per_m_per_s = -1}), Error);
  EXPECT_THROW(variable_density_spiral({.interleaves = 1, .max_slew_t_per_m_per_s = 1e-3}), Error);
}

// Largest gradient in mT/m and slew rate in T/m/s of the samples' differences; the gradient is zero before
// the start.
struct Limits {
  double gradient = 0, slew = 0;
};
Limits limits_of(const Trajectory& spiral, const SpiralOptions& options) {
  Limits limits;
  const double pixel_m = options.fov_mm * 1e-3 / static_cast<double>(options.matrix);
  const double dt = options.dwell_us * 1e-6;
  for (Index leaf = 0; leaf < spiral.readouts; ++leaf) {
    const double* k = spiral.k.data() + leaf * spiral.samples_per_readout * 2;
    double previous[2] = {0, 0};
    for (Index j = 0; j + 1 < spiral.samples_per_readout; ++j) {
      double g[2];
      for (int axis = 0; axis < 2; ++axis)
        g[axis] = (k[2 * j + 2 + axis] - k[2 * j + axis]) / pixel_m / (proton_hz_per_tesla * dt);
      limits.gradient = std::max(limits.gradient, std::hypot(g[0], g[1]) * 1e3);
      limits.slew = std::max(limits.slew, std::hypot(g[0] - previous[0], g[1] - previous[1]) / dt);
      previous[0] = g[0];
      previous[1] = g[1];
    }
  }
  return limits;
}

class SpiralLimits : public testing::TestWithParam<SpiralOptions> {};

TEST_P(SpiralLimits, GradientAndSlewHoldAndAreUsed) {
  const auto& options = GetParam();
  const auto spiral = variable_density_spiral(options);
  const auto limits = limits_of(spiral, options);
  EXPECT_LE(limits.gradient, options.max_gradient_mt_per_m);
  EXPECT_LE(limits.slew, options.max_slew_t_per_m_per_s);
  EXPECT_GT(limits.slew, 0.9 * options.max_slew_t_per_m_per_s);
  double edge = 0;
  for (Index j = 0; j < spiral.k.shape()[0]; ++j)
    edge = std::max(edge, std::hypot(spiral.k[2 * j], spiral.k[2 * j + 1]));
  EXPECT_LE(edge, 0.5);
  EXPECT_GT(edge, 0.48);
}

INSTANTIATE_TEST_SUITE_P(Spirals, SpiralLimits,
                         testing::Values(SpiralOptions{}, SpiralOptions{.interleaves = 1, .dwell_us = 10},
                                         SpiralOptions{.fov_mm = 200, .matrix = 64, .interleaves = 3},
                                         SpiralOptions{.interleaves = 12, .edge_density = 0.4},
                                         SpiralOptions{.interleaves = 8,
                                                       .edge_density = 0.5,
                                                       .max_gradient_mt_per_m = 15,
                                                       .max_slew_t_per_m_per_s = 180,
                                                       .dwell_us = 2}));

TEST(Trajectories, SpiralTurnsLieOneFieldOfViewApart) {
  // Along the positive x axis of the first interleaf: crossings of a uniform spiral are interleaves/FOV
  // apart, of a variable-density one further towards the edge.
  for (const double edge_density : {1.0, 0.5}) {
    const SpiralOptions options{.interleaves = 6, .edge_density = edge_density};
    const auto spiral = variable_density_spiral(options);
    double previous = 0, first_gap = 0, last_gap = 0, middle = 0;
    for (Index j = 1; j < spiral.samples_per_readout; ++j) {
      const double* k = spiral.k.data() + 2 * j;
      if (k[-1] < 0 && k[1] >= 0 && k[0] > 0) {
        const double crossing = k[-2] + (k[0] - k[-2]) * k[-1] / (k[-1] - k[1]);
        if (first_gap == 0) first_gap = crossing - previous;
        last_gap = crossing - previous;
        middle = 0.5 * (crossing + previous);
        previous = crossing;
      }
    }
    const double matrix = static_cast<double>(options.matrix);
    EXPECT_NEAR(first_gap * matrix / 6, 1.0, 0.05);
    EXPECT_NEAR(last_gap * matrix / 6 * (1 - (1 - edge_density) * middle / 0.5), 1, 0.02);
  }
}

}  // namespace
}  // namespace larmor
