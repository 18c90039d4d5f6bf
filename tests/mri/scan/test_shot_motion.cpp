// Rigid motion of shots, given: coordinates and phases against the closed-form signal of the object at rest.
#include "error_of.hpp"
#include "random_arrays.hpp"

#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/scan/shot_motion.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace larmor::test {
namespace {

using testing::HasSubstr;

Array<double> motion_of_shots() {
  Array<double> motion = filled<double>({4, 6}, 0.0);
  const double numbers[4][3] = {{0, 0, 0}, {5, -3, 8}, {-6, 2.5, -12}, {1, 7, 4}};  // x, y, about z
  for (Index shot = 0; shot < 4; ++shot) {
    motion[6 * shot] = numbers[shot][0];
    motion[6 * shot + 1] = numbers[shot][1];
    motion[6 * shot + 5] = numbers[shot][2];
  }
  return motion;
}

SimulationOptions moving(Index coils) {
  SimulationOptions options;
  options.matrix = {40, 40, 1};
  options.coils = coils;
  options.readouts = 48;
  options.noise = 0;
  options.motion = motion_of_shots();
  return options;
}

// A coil of uniform sensitivity, for which the model is exact.
TEST(ShotMotion, SamplesAreThoseOfTheObjectAtRest) {
  Context ctx;
  const Simulation simulation = simulate_scan(moving(1), ctx);
  PrepareOptions options;
  options.whiten = false;
  const Phantom rest(2, object_parts(SimulatedObject::head, 2), coil_ring(2, 1));
  const auto difference = [&](const Array<double>& motion) {
    options.motion = clone(motion.view());
    const ScanPlan plan = plan_scan(simulation.scan, options);
    const PreparedImage image =
        load_image(simulation.scan, plan, plan_channels(simulation.scan, plan, ctx, options), 0, ctx);
    return relative_difference(image.samples, rest.kspace(image.trajectory, {40, 40}, ctx));
  };
  EXPECT_LE(difference(motion_of_shots()), 1e-5);
  for (const Index twin : {0, 1, 5}) {  // with one sign wrong
    auto wrong = motion_of_shots();
    for (Index shot = 0; shot < 4; ++shot) wrong[6 * shot + twin] *= -1;
    EXPECT_GE(difference(wrong), 0.1);
  }
}

TEST(ShotMotion, ImagesOfCoilsAreSharpAgain) {
  Context ctx;
  SimulationOptions scan = moving(4);
  scan.noise = 0.005;
  const Simulation simulation = simulate_scan(scan, ctx);
  ReconstructOptions options;
  options.coils.maps = simulation.maps.view();
  const auto error = [&] {
    const auto result = reconstruct(simulation.scan, options, ctx);
    return relative_difference(result.series.images[0].pixels, simulation.truth);
  };
  const double moved = error();
  options.prepare.motion = motion_of_shots();
  EXPECT_LE(error(), 0.4 * moved);  // the coils do not move with the object
}

TEST(ShotMotion, RotationsFollowEachOtherAboutXYZ) {
  const double six[6] = {1, 2, 3, 90, 0, 90};
  const RigidMotion motion = rigid_motion(six);
  // About x: y goes to z, z to −y; then about z: x goes to y, y to −x.
  const std::array<double, 9> expected{0, 0, 1, 1, 0, 0, 0, 1, 0};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(motion.rotation[i], expected[i], 1e-15) << i;
  EXPECT_EQ(motion.translation_mm, (Vec3{1, 2, 3}));
  Grid grid{{10, 20, 40}, {10, 10, 10}};  // pixels of 1, 0.5 and 0.25 mm
  double k[3] = {0.1, 0, 0};
  motion.turn_back(k, 3, grid);  // Rᵀ takes x to z
  EXPECT_NEAR(k[2], 0.025, 1e-15);
  EXPECT_NEAR(std::abs(k[0]) + std::abs(k[1]), 0, 1e-15);
}

TEST(ShotMotion, SaysWhatDoesNotFit) {
  Context ctx;
  const Simulation simulation = simulate_scan(moving(1), ctx);
  const auto error = [&](Array<double> motion) {
    PrepareOptions options;
    options.motion = std::move(motion);
    return error_of([&] { plan_scan(simulation.scan, options); });
  };
  EXPECT_THAT(error(filled<double>({5, 6}, 0)), HasSubstr("motion of shape [5, 6] for 48 imaging readouts"));
  EXPECT_THAT(error(filled<double>({6}, 0)), HasSubstr("expected [shots, 6]"));
  auto through = motion_of_shots();
  through[8] = 2;
  EXPECT_THAT(error(std::move(through)), HasSubstr("shot 1 moves through the slice"));
  for (const double value : {static_cast<double>(NAN), 1e30}) {
    auto absurd = motion_of_shots();
    absurd[0] = value;
    EXPECT_THAT(error(std::move(absurd)), HasSubstr("motion: number 0 of shot 0 is"));
  }
}

}  // namespace
}  // namespace larmor::test
