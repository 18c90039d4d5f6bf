// Delays and factors of readouts, estimated from the agreement of readouts around the centre of k-space.
#include "error_of.hpp"
#include "listener.hpp"
#include "mri/trajectory/late_scan.hpp"
#include "scaled_difference.hpp"

#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/mri/trajectory/readout_errors.hpp>
#include <larmor/mri/trajectory/spiral.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace larmor {
namespace {

using C = std::complex<float>;
using test::error_of;
using testing::HasSubstr;

constexpr Index matrix = 32;

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

Trajectory copy(const Trajectory& of) {
  return {clone(of.k), of.readouts, of.samples_per_readout};
}

/// The head phantom in closed form, scanned with delayed gradients.
struct LateReadouts {
  Trajectory nominal;
  GradientDelay delay;
  Index coils = 4;
  double noise = 0.002;  // of the largest sample
  std::array<Index, 3> pixels{matrix, matrix, matrix};
  std::vector<std::complex<double>> factors{};  // of the readouts; empty: 1

  ReadoutErrors found(unsigned seed) const {
    Context ctx(Device::cpu(), {.threads = 2});
    const int dims = static_cast<int>(nominal.k.shape()[1]);
    const Index length = nominal.samples_per_readout, total = nominal.k.shape()[0];
    auto k = clone(nominal.k);
    for (Index s = 0; s < nominal.readouts; ++s)
      apply_gradient_delay(k.data() + s * length * dims, length, dims, delay);
    const Phantom phantom(dims, head_phantom(dims), coil_ring(dims, coils));
    auto exact = phantom.kspace(
        k, dims == 2 ? Shape{pixels[1], pixels[0]} : Shape{pixels[2], pixels[1], pixels[0]}, ctx);
    for (Index i = 0; i < exact.size() && !factors.empty(); ++i)
      exact[i] *= factors[static_cast<std::size_t>(i % total / length)];
    double largest = 0;
    for (const auto& value : exact) largest = std::max(largest, std::abs(value));
    std::mt19937 generator(seed);
    std::normal_distribution<double> gauss(0, noise * largest / std::sqrt(2.0));
    auto samples = converted<C>(exact.view());
    for (C& value : samples) value += C(std::complex<double>(gauss(generator), gauss(generator)));
    return estimate_readout_errors(nominal.k, samples, length, pixels, ctx);
  }
};

LateReadouts slice(const RadialOptions& options, const GradientDelay& delay, Index coils, double noise) {
  return {radial_2d(options), delay, coils, noise, {options.samples / 2, options.samples / 2, 1}};
}

void expect_delay(const ReadoutErrors& found, const GradientDelay& expected, double tolerance) {
  EXPECT_NEAR(found.delay.x, expected.x, tolerance);
  EXPECT_NEAR(found.delay.y, expected.y, tolerance);
  EXPECT_NEAR(found.delay.xy, expected.xy, tolerance);
  EXPECT_NEAR(found.delay.z, expected.z, tolerance);
}

TEST(SliceDelays, AreFoundInNoise) {
  unsigned seed = 0;
  for (const GradientDelay& delay :
       {GradientDelay{0.7, 0.7, 0}, GradientDelay{0.7, -0.3, 0}, GradientDelay{0.5, -0.5, 0.3},
        GradientDelay{-1.3, 0.2, 0.1}, GradientDelay{0, 0, 0}})
    expect_delay(slice({.spokes = 40, .samples = 128}, delay, 4, 0.005).found(++seed), delay, 0.02);
  expect_delay(slice({.spokes = 40, .samples = 128}, {0.7, 0.7, 0}, 4, 0).found(1), {0.7, 0.7, 0}, 0.001);
}

TEST(SliceDelays, OfUniformSpokesOverHalfATurnAndOneCoil) {
  const GradientDelay delay{0.7, 0.4, -0.1};
  const RadialOptions uniform{.spokes = 48, .samples = 128, .order = SpokeOrder::uniform};
  expect_delay(slice(uniform, delay, 4, 0.002).found(5), delay, 0.02);
  expect_delay(slice(uniform, delay, 1, 0.001).found(6), delay, 0.02);
}

TEST(SliceDelays, OfPixelsThatAreNotSquare) {
  LateReadouts scan = slice({.spokes = 64, .samples = 128}, {0.7, 0.4, -0.1}, 4, 0.002);
  scan.pixels = {64, 48, 1};
  expect_delay(scan.found(7), scan.delay, 0.02);
}

TEST(SliceDelays, OfSpirals) {
  LateReadouts scan{variable_density_spiral({.matrix = 64, .interleaves = 12}), {1.2, 0.8, 0.1}};
  scan.pixels = {64, 64, 1};
  expect_delay(scan.found(8), scan.delay, 0.05);
}

// Phases that vary with the spoke's angle, as eddy currents cause them, or randomly, and intensities during
// the approach to steady state.
TEST(SliceDelays, AreFoundBesideAFactorForEachSpoke) {
  std::mt19937 generator(1);
  std::normal_distribution<double> gauss(0, 0.5);
  for (const bool by_chance : {false, true}) {
    LateReadouts scan = slice({.spokes = 29, .samples = 192}, {0.65, 0.61, 0}, 6, 0.002);
    for (Index s = 0; s < 29; ++s) {
      const double* k = scan.nominal.k.data() + s * 192 * 2;
      const double angle = std::atan2(k[3] - k[1], k[2] - k[0]);
      scan.factors.push_back(std::polar(1 + 0.15 * std::exp(-static_cast<double>(s) / 3),
                                        by_chance ? gauss(generator) : 0.25 * std::sin(angle + 0.5)));
    }
    const auto errors = scan.found(9);
    expect_delay(errors, scan.delay, 0.01);
    std::complex<double> inner = 0;
    double size = 0, own = 0;
    ASSERT_EQ(errors.factors.size(), scan.factors.size());
    for (std::size_t s = 0; s < scan.factors.size(); ++s) {
      const std::complex<double> found(errors.factors[s]);
      inner += std::conj(found) * scan.factors[s];
      size += std::norm(found);
      own += std::norm(scan.factors[s]);
    }
    EXPECT_NEAR(size, 29, 1e-3);
    EXPECT_GT(std::norm(inner), 0.9999 * size * own);
  }
}

// Ten scans with different noise: the reported standard deviations agree with the scatter of the delays
// within a factor of two.
TEST(SliceDelays, ScatterAsTheyDeviate) {
  const LateReadouts scan = slice({.spokes = 32, .samples = 128}, {0.5, 0.2, 0}, 4, 0.02);
  double squares = 0, expected = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto found = scan.found(100 + seed);
    squares +=
        std::pow(found.delay.x - 0.5, 2) + std::pow(found.delay.y - 0.2, 2) + std::pow(found.delay.xy, 2);
    expected +=
        std::pow(found.deviation.x, 2) + std::pow(found.deviation.y, 2) + std::pow(found.deviation.xy, 2);
  }
  EXPECT_LT(squares, 4 * expected);
  EXPECT_GT(squares, 0.25 * expected);
}

// A scan whose file does not mention the delay: the images are those of the true trajectory.
TEST(SliceDelays, AreCorrectedOnTheWayToTheImage) {
  Context ctx;
  test::LateScan scan{.simulation = {}, .delay = {0.7, 0.4, 0.1}, .iterations = 12};
  scan.simulation.matrix = {64, 64, 1};
  scan.simulation.coils = 4;
  scan.simulation.readouts = 96;
  scan.simulation.noise = 0.002;
  EXPECT_LT(scan.error(true, ctx), 0.02);
  EXPECT_GT(scan.error(false, ctx), 0.1);
}

TEST(SliceDelays, AreNotMadeUp) {
  Context ctx;
  const auto fault = [&](const Trajectory& nominal, const Array<C>& samples) {
    return error_of([&] {
      estimate_readout_errors(nominal.k, samples, nominal.samples_per_readout, {matrix, matrix, 1}, ctx);
    });
  };
  // Every delay explains a point at the centre, and none explains noise.
  for (const Index interleaves : {4, 8, 16}) {
    const auto spiral = variable_density_spiral({.matrix = matrix, .interleaves = interleaves});
    EXPECT_THAT(fault(spiral, filled<C>({2, spiral.k.shape()[0]}, 1)),
                HasSubstr("agree without a delay (100 % of their energy explained)"));
    std::mt19937 generator(3);
    std::normal_distribution<float> gauss;
    Array<C> noise({2, spiral.k.shape()[0]});
    for (C& sample : noise) sample = {gauss(generator), gauss(generator)};
    EXPECT_THAT(fault(spiral, noise), HasSubstr("no delay makes"));
  }
  EXPECT_THAT(error_of([&] { slice({.spokes = 3, .samples = 64}, {}, 2, 0).found(1); }),
              HasSubstr("samples lie around the centre"));
}

// If axes have different delays, other minima explain outer samples equally well, but not those of the
// centre.
TEST(VolumeDelays, OfCentreOutSpokes) {
  const Trajectory nominal = kooshball_3d(300, matrix);
  unsigned seed = 0;
  for (const GradientDelay& delay :
       {GradientDelay{0, 0, 0, 0}, GradientDelay{-0.6, -0.5, 0, -0.4}, GradientDelay{2.5, 2, 0, 2.3},
        GradientDelay{-1.5, 1.1, 0, 0.4}, GradientDelay{2, -2, 0, 0}, GradientDelay{-2.2, -2.2, 0, 2.2}})
    expect_delay(LateReadouts{copy(nominal), delay, 2, 0.002}.found(++seed), delay, 0.02);
}

// Spokes that all start outside the centre contain less information: the reported standard deviations show
// it.
TEST(VolumeDelays, OfAHoleInTheCentreAreLessSure) {
  const Trajectory nominal = kooshball_3d(400, matrix);
  const GradientDelay early{-2.2, -1.9, 0, -2}, late{1.5, 1.5, 0, 1.5};
  const auto unsure = LateReadouts{copy(nominal), early, 2, 0.0002}.found(1),
             sure = LateReadouts{copy(nominal), late, 2, 0.0002}.found(1);
  EXPECT_GT(std::max({unsure.deviation.x, unsure.deviation.y, unsure.deviation.z}), 0.05);
  EXPECT_LT(std::max({sure.deviation.x, sure.deviation.y, sure.deviation.z}), 0.02);
  expect_delay(unsure, early, 0.15);
  expect_delay(sure, late, 0.02);
}

TEST(VolumeDelays, OfSpokesThroughTheCentreAndOneCoil) {
  const Trajectory nominal = through_the_centre(200, 2 * matrix);
  expect_delay(LateReadouts{copy(nominal), {0.7, -0.4, 0, 0.5}, 4, 0.002}.found(1), {0.7, -0.4, 0, 0.5},
               0.02);
  expect_delay(LateReadouts{copy(nominal), {0.7, 0.6, 0, 0.1}, 1, 0.001}.found(2), {0.7, 0.6, 0, 0.1}, 0.02);
}

TEST(VolumeDelays, KnowHowSureTheyAre) {
  const Trajectory nominal = kooshball_3d(300, matrix);
  const GradientDelay delay{0.5, 0.2, 0, -0.3};
  const auto quiet = LateReadouts{copy(nominal), delay, 2, 0.001}.found(3),
             noisy = LateReadouts{copy(nominal), delay, 2, 0.02}.found(4);
  EXPECT_GT(noisy.deviation.z, 3 * quiet.deviation.z);
  EXPECT_LT(std::abs(noisy.delay.z - delay.z), 5 * noisy.deviation.z);
}

TEST(VolumeDelays, AreNotMadeUp) {
  const Trajectory few = kooshball_3d(20, matrix), nominal = kooshball_3d(300, matrix);
  EXPECT_THAT(error_of([&] {
                LateReadouts{copy(few), {}, 2, 0}.found(1);
              }),
              HasSubstr("samples lie around the centre"));
  Array<C> noise({2, nominal.k.shape()[0]});
  std::mt19937 generator(1);
  std::normal_distribution<float> gauss;
  for (C& value : noise) value = {gauss(generator), gauss(generator)};
  Context ctx(Device::cpu(), {.threads = 2});
  EXPECT_THAT(error_of([&] {
                estimate_readout_errors(nominal.k, noise, matrix, {matrix, matrix, matrix}, ctx);
              }),
              HasSubstr("no delay makes"));
}

// A kooshball whose file does not mention the delay: the image is that of the true trajectory.
TEST(VolumeDelays, AreCorrectedOnTheWayToTheImage) {
  Context ctx(Device::cpu(), {.threads = 2});
  test::LateScan scan{.simulation = {}, .delay = {0.7, 0.4, 0, 0.2}, .iterations = 8};
  scan.simulation.trajectory = SimulatedTrajectory::kooshball;
  scan.simulation.matrix = {matrix, matrix, matrix};
  scan.simulation.coils = 2;
  scan.simulation.readouts = 500;
  scan.simulation.noise = 0.002;
  EXPECT_LT(scan.error(true, ctx), 0.02);
  EXPECT_GT(scan.error(false, ctx), 0.1);
}

// The first two samples are discarded, so that all readouts nominally start outside the centre.
TEST(VolumeDelays, AreWarnedOfWhereTheCentreIsMissing) {
  const auto listener = std::make_shared<test::Listener>();
  Context ctx = test::listening(listener);
  for (const std::uint16_t lost : {0, 2}) {
    SimulationOptions simulation;
    simulation.trajectory = SimulatedTrajectory::kooshball;
    simulation.matrix = {matrix, matrix, matrix};
    simulation.coils = 4;
    simulation.readouts = 500;
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
    reconstruction.prepare.estimate_delay = true;
    reconstruct(std::move(simulated.scan), reconstruction, ctx);
    if (lost == 0)
      EXPECT_THAT(listener->warnings, testing::Not(HasSubstr("samples only")));
    else
      EXPECT_THAT(listener->warnings, HasSubstr("samples only, because too little is measured"));
  }
}

// Spokes with individual phases and magnitudes: the image equals the one without them, up to one factor.
TEST(ReadoutFactors, AreDividedOut) {
  Context ctx(Device::cpu(), {.threads = 2});
  const auto image = [&](bool spoiled, bool correct, SimulatedTrajectory trajectory, Index slices) {
    SimulationOptions simulation;
    simulation.trajectory = trajectory;
    simulation.matrix = {64, 64, slices};
    simulation.coils = 4;
    simulation.readouts = 60;
    simulation.noise = 0.002;
    auto simulated = simulate_scan(simulation, ctx);
    std::mt19937 generator(11);
    std::normal_distribution<float> gauss;
    for (const Readout& readout : simulated.scan.readouts) {
      if (!spoiled || readout.header.has(AcquisitionFlag::noise)) continue;
      const C factor = std::polar(1 + 0.1F * gauss(generator), 0.5F * gauss(generator));
      C* samples = simulated.scan.data.data() + readout.data_offset;
      for (Index i = 0; i < Index{readout.header.samples} * readout.header.active_channels; ++i)
        samples[i] *= factor;
    }
    ReconstructOptions options;
    options.coils.maps = simulated.maps;
    options.solve.iterations = 10;
    options.output.kind = ImageKind::complex;
    options.prepare.estimate_factors = correct;
    return std::move(reconstruct(std::move(simulated.scan), options, ctx).series.images[0].pixels);
  };
  const auto radial = SimulatedTrajectory::radial;
  const auto expected = image(false, false, radial, 1);
  const auto error = [&](const Array<C>& found) { return test::scaled_difference(found, expected); };
  EXPECT_GT(error(image(true, false, radial, 1)), 0.15);
  EXPECT_LT(error(image(true, true, radial, 1)), 0.03);
  EXPECT_LT(error(image(false, true, radial, 1)), 0.03);
  EXPECT_THAT(error_of([&] { image(false, true, SimulatedTrajectory::stack_of_stars, 4); }),
              HasSubstr("this is a stack"));
  EXPECT_THAT(error_of([&] { image(false, true, SimulatedTrajectory::cartesian, 1); }),
              HasSubstr("pass through the centre of k-space"));
}

}  // namespace
}  // namespace larmor
