// Rigid motion of shots found from the data of simulated scans.
#include "error_of.hpp"

#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/steps/estimated_motion.hpp>
#include <larmor/mri/scan/shot_motion.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace larmor::test {
namespace {

constexpr Index shots = 8;

// About a mean of 0, which is what can be found.
Array<double> true_motion() {
  auto motion = filled<double>({shots, 6}, 0.0);
  for (Index shot = 0; shot < shots; ++shot) {
    const double turn = 2 * 3.14159265 * static_cast<double>(shot) / shots;
    motion[6 * shot] = 4 * std::sin(3 * turn);
    motion[6 * shot + 1] = 3 * std::cos(2 * turn);
    motion[6 * shot + 5] = 4 * std::sin(turn + 1);
  }
  return motion;
}

Simulation moving_scan(SimulatedTrajectory trajectory) {
  Context ctx;
  SimulationOptions options;
  options.trajectory = trajectory;
  options.matrix = {64, 64, 1};
  options.coils = 4;
  options.readouts = 96;
  options.noise = 0.005;
  options.motion = true_motion();
  return simulate_scan(options, ctx);
}

double image_error(const Simulation& simulation, const PrepareOptions& prepare) {
  Context ctx;
  ReconstructOptions options;
  options.prepare = prepare;
  options.coils.maps = simulation.maps.view();
  const auto image = clone(reconstruct(simulation.scan, options, ctx).series.images[0].pixels.view());
  double sum = 0, norm = 0;
  for (Index p = 0; p < image.size(); ++p) {
    sum += std::pow(std::abs(image[p]) - std::abs(simulation.truth[p]), 2);
    norm += std::norm(simulation.truth[p]);
  }
  return std::sqrt(sum / norm);
}

TEST(EstimatedMotion, IsThatOfTheShots) {
  Context ctx;
  const Simulation simulation = moving_scan(SimulatedTrajectory::radial);
  PrepareOptions options;
  const double moved = image_error(simulation, options);
  options.motion_shots = shots;
  EXPECT_LE(image_error(simulation, options), 0.5 * moved) << "found by the reconstruction itself";
  const PrepareOptions found = with_estimated_motion(simulation.scan, options, {}, ctx);
  EXPECT_EQ(found.motion_shots, 0);
  const auto truth = true_motion();
  const View<const double> motion = found.motion;
  ASSERT_EQ(motion.shape(), truth.shape());
  double millimetres = 0, degrees = 0;
  for (Index i = 0; i < motion.size(); ++i)
    (i % 6 < 3 ? millimetres : degrees) += std::pow(motion[i] - truth[i], 2) / shots;
  // Pixels are 3.75 mm.
  EXPECT_LE(std::sqrt(millimetres), 0.6);
  EXPECT_LE(std::sqrt(degrees), 0.6);
  PrepareOptions given;
  given.motion = true_motion();
  const double best = image_error(simulation, given), estimated = image_error(simulation, found);
  EXPECT_LE(estimated, 1.3 * best);
  EXPECT_LE(estimated, 0.5 * moved);
}

TEST(EstimatedMotion, SaysWhatDoesNotFit) {
  Context ctx;
  const Simulation simulation = moving_scan(SimulatedTrajectory::radial);
  PrepareOptions options;
  options.motion_shots = 7;
  EXPECT_THAT(error_of([&] { with_estimated_motion(simulation.scan, options, {}, ctx); }),
              testing::HasSubstr("motion of shape [7, 6] for 96 imaging readouts"));
}

}  // namespace
}  // namespace larmor::test
