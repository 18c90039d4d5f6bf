// Delays of three-dimensional radial scans, found from what the readouts say about the centre of k-space.
#include "error_of.hpp"
#include "mri/trajectory/late_scan.hpp"

#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>
#include <larmor/mri/trajectory/volume_delay.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>

namespace larmor {
namespace {

using C = std::complex<float>;
using test::error_of;
using testing::HasSubstr;

constexpr Index matrix = 32;

Array<double> delayed(const Trajectory& nominal, const GradientDelay& delay) {
  auto k = clone(nominal.k);
  for (Index s = 0; s < nominal.readouts; ++s)
    apply_gradient_delay(k.data() + s * nominal.samples_per_readout * 3, nominal.samples_per_readout, 3,
                         delay);
  return k;
}

// Full spokes through the centre, in the directions of a kooshball.
Trajectory through_the_centre(Index spokes, Index samples) {
  Trajectory result = kooshball_3d(spokes, samples);
  for (Index s = 0; s < spokes; ++s) {
    double* k = result.k.data() + s * samples * 3;
    double step[3];
    for (int axis = 0; axis < 3; ++axis) step[axis] = 2 * (k[3 + axis] - k[axis]);
    for (Index r = 0; r < samples; ++r)
      for (int axis = 0; axis < 3; ++axis)
        k[3 * r + axis] = static_cast<double>(r - samples / 2) * step[axis];
  }
  return result;
}

DelayEstimate found(const Trajectory& nominal, const GradientDelay& delay, Index coils, double noise,
                    unsigned seed) {
  Context ctx(Device::cpu(), {.threads = 2});
  const Phantom phantom(3, head_phantom(3), coil_ring(3, coils));
  const auto exact = phantom.kspace(delayed(nominal, delay), {matrix, matrix, matrix}, ctx);
  auto samples = converted<C>(exact.view());
  double largest = 0;
  for (const auto& value : exact) largest = std::max(largest, std::abs(value));
  std::mt19937 generator(seed);
  std::normal_distribution<double> gauss(0, noise * largest / std::sqrt(2.0));
  for (C& value : samples) value += C(std::complex<double>(gauss(generator), gauss(generator)));
  return volume_delays(nominal.k, samples, nominal.samples_per_readout, {matrix, matrix, matrix}, ctx);
}

void expect_delay(const DelayEstimate& estimate, const GradientDelay& expected, double tolerance) {
  EXPECT_NEAR(estimate.delay.x, expected.x, tolerance);
  EXPECT_NEAR(estimate.delay.y, expected.y, tolerance);
  EXPECT_NEAR(estimate.delay.z, expected.z, tolerance);
}

TEST(VolumeDelays, OfCentreOutSpokes) {
  const Trajectory nominal = kooshball_3d(600, matrix);
  unsigned seed = 0;
  for (const GradientDelay& delay : {GradientDelay{0, 0, 0, 0}, GradientDelay{0.7, -0.3, 0, 0.2},
                                     GradientDelay{-0.6, -0.5, 0, -0.4}, GradientDelay{2.5, 2, 0, 2.3}})
    expect_delay(found(nominal, delay, 4, 0.002, ++seed), delay, 0.02);
}

// Each axis by itself: other minima explain few samples as well, but not those of the centre.
TEST(VolumeDelays, OfAxesThatDiffer) {
  const Trajectory nominal = kooshball_3d(900, matrix);
  unsigned seed = 10;
  for (const GradientDelay& delay : {GradientDelay{-1.5, 1.1, 0, 0.4}, GradientDelay{1.1, 0.4, 0, -1.5},
                                     GradientDelay{2, -2, 0, 0}, GradientDelay{-2.2, -2.2, 0, 2.2}})
    expect_delay(found(nominal, delay, 4, 0.002, ++seed), delay, 0.02);
}

// Spokes that begin beyond the centre, in all directions, tell less: the deviations say so.
TEST(VolumeDelays, OfAHoleInTheCentreAreLessSure) {
  const Trajectory nominal = kooshball_3d(900, matrix);
  const GradientDelay early{-2.2, -1.9, 0, -2}, late{1.5, 1.5, 0, 1.5};
  const auto unsure = found(nominal, early, 4, 0.0002, 1), sure = found(nominal, late, 4, 0.0002, 1);
  EXPECT_GT(std::max({unsure.deviation.x, unsure.deviation.y, unsure.deviation.z}), 0.05);
  EXPECT_LT(std::max({sure.deviation.x, sure.deviation.y, sure.deviation.z}), 0.02);
  expect_delay(unsure, early, 0.15);
  expect_delay(sure, late, 0.02);
}

TEST(VolumeDelays, OfSpokesThroughTheCentreAndOneCoil) {
  const Trajectory nominal = through_the_centre(700, 2 * matrix);
  expect_delay(found(nominal, {0.7, -0.4, 0, 0.5}, 4, 0.002, 1), {0.7, -0.4, 0, 0.5}, 0.02);
  expect_delay(found(nominal, {0.7, 0.6, 0, 0.1}, 1, 0.001, 2), {0.7, 0.6, 0, 0.1}, 0.02);
}

TEST(VolumeDelays, KnowHowSureTheyAre) {
  const Trajectory nominal = kooshball_3d(1000, matrix);
  const GradientDelay delay{0.5, 0.2, 0, -0.3};
  const auto quiet = found(nominal, delay, 4, 0.001, 3), noisy = found(nominal, delay, 4, 0.02, 4);
  EXPECT_GT(noisy.deviation.z, 3 * quiet.deviation.z);
  EXPECT_LT(std::abs(noisy.delay.z - delay.z), 5 * noisy.deviation.z);
}

TEST(VolumeDelays, AreNotMadeUp) {
  const Trajectory few = kooshball_3d(20, matrix), nominal = kooshball_3d(800, matrix);
  EXPECT_THAT(error_of([&] { found(few, {}, 2, 0, 1); }), HasSubstr("samples lie around the centre"));
  Array<C> noise({2, nominal.k.shape()[0]});
  std::mt19937 generator(1);
  std::normal_distribution<float> gauss;
  for (C& value : noise) value = {gauss(generator), gauss(generator)};
  Context ctx(Device::cpu(), {.threads = 2});
  EXPECT_THAT(error_of([&] {
                volume_delays(nominal.k, noise, matrix, {matrix, matrix, matrix}, ctx);
              }),
              HasSubstr("no delay makes"));
}

// A kooshball whose file does not know of the delay: the image is that of the true trajectory.
TEST(VolumeDelays, AreCorrectedOnTheWayToTheImage) {
  Context ctx(Device::cpu(), {.threads = 2});
  test::LateScan scan{.simulation = {}, .delay = {0.7, 0.4, 0, 0.2}, .iterations = 8};
  scan.simulation.trajectory = SimulatedTrajectory::kooshball;
  scan.simulation.matrix = {matrix, matrix, matrix};
  scan.simulation.coils = 4;
  scan.simulation.readouts = 1500;
  scan.simulation.noise = 0.002;
  EXPECT_LT(scan.error(DelayMethod::ring, ctx), 0.02);
  EXPECT_GT(scan.error(DelayMethod::none, ctx), 0.1);
  EXPECT_THAT(error_of([&] { scan.error(DelayMethod::adaptive, ctx); }), HasSubstr("x,y,z"));
}

// The first two samples are lost, so that all readouts begin beyond the centre, where the file has it.
TEST(VolumeDelays, AreWarnedOfWhereTheCentreIsMissing) {
  struct Listener : Reporter {
    void warning(const std::string& text) override { warnings += text + "\n"; }
    std::string warnings;
  };
  const auto listener = std::make_shared<Listener>();
  ContextOptions options;
  options.reporter = listener;
  options.threads = 2;
  Context ctx(Device::cpu(), options);
  for (const std::uint16_t lost : {0, 2}) {
    SimulationOptions simulation;
    simulation.trajectory = SimulatedTrajectory::kooshball;
    simulation.matrix = {matrix, matrix, matrix};
    simulation.coils = 4;
    simulation.readouts = 1500;
    simulation.noise = 0.002;
    auto simulated = simulate_scan(simulation, ctx);
    for (Readout& readout : simulated.scan.readouts) {
      if (readout.header.trajectory_dimensions != 3) continue;
      float* k = simulated.scan.trajectory.data() + readout.trajectory_offset;
      const std::array<float, 3> step{k[3] - k[0], k[4] - k[1], k[5] - k[2]};
      for (Index j = 0; j < readout.header.samples; ++j)
        for (std::size_t axis = 0; axis < 3; ++axis)
          k[3 * j + static_cast<Index>(axis)] = static_cast<float>(j - lost) * step[axis];
      readout.header.discard_pre = lost;
    }
    ReconstructOptions reconstruction;
    reconstruction.coils.maps = simulated.maps;
    reconstruction.solve.iterations = 1;
    reconstruction.prepare.estimate_delay = DelayMethod::ring;
    reconstruct(std::move(simulated.scan), reconstruction, ctx);
    if (lost == 0)
      EXPECT_THAT(listener->warnings, testing::Not(HasSubstr("samples only")));
    else
      EXPECT_THAT(listener->warnings, HasSubstr("samples only, for too little is measured"));
  }
}

}  // namespace
}  // namespace larmor
