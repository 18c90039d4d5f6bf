// Ghosts of echo trains whose backward lines have an eddy phase, with and without navigators.
#include "error_of.hpp"
#include "listener.hpp"

#include <larmor/mri/calibration/ghost_correction.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

namespace larmor::test {
namespace {

Simulation echo_train(double phase, double shift, double noise = 0) {
  Context ctx;
  SimulationOptions options;
  options.trajectory = SimulatedTrajectory::cartesian;
  options.matrix = {48, 40, 1};
  options.coils = 4;
  options.noise = noise;
  options.echo_train = SimulationOptions::EchoTrain{phase, shift};
  return simulate_scan(options, ctx);
}

Array<std::complex<float>> image_of(const Simulation& simulation, const Scan& scan) {
  Context ctx;
  ReconstructOptions options;
  options.coils.maps = simulation.maps.view();
  options.solve.solver = Solver::cg;
  return clone(reconstruct(scan, options, ctx).series.images.front().pixels.view());
}

// Amplitude of the ghost: of the object displaced by half a field of view along y, in the difference of image
// and object.
double ghost_of(const Array<std::complex<float>>& image, const Array<std::complex<float>>& object) {
  const Index ny = image.shape()[1], nx = image.shape()[2];
  std::complex<double> sum = 0;
  double norm = 0;
  for (Index y = 0; y < ny; ++y)
    for (Index x = 0; x < nx; ++x) {
      const Index there = (y + ny / 2) % ny * nx + x, here = y * nx + x;
      sum +=
          std::complex<double>(image[here] - object[here]) * std::conj(std::complex<double>(object[there]));
      norm += std::norm(object[there]);
    }
  return std::abs(sum) / norm;
}

// Navigators are not taken for navigators without their flag, nor for image data.
Scan without_navigators(const Simulation& simulation) {
  Scan scan = simulation.scan;
  for (Readout& readout : scan.readouts)
    if (readout.header.has(AcquisitionFlag::phase_correction)) {
      readout.header.flags = 0;
      readout.header.set(AcquisitionFlag::dummy);
    }
  return scan;
}

TEST(GhostCorrection, TakesGhostsBelowAHundredth) {
  const Simulation clean = echo_train(0, 0), ghosted = echo_train(0.8, 0.6);
  const auto expected = image_of(clean, without_navigators(clean));
  EXPECT_GE(ghost_of(image_of(ghosted, without_navigators(ghosted)), expected), 0.1);
  EXPECT_LE(ghost_of(image_of(ghosted, ghosted.scan), expected), 0.01);
}

TEST(GhostCorrection, FindsTheDisplacementInNoise) {
  Context ctx;
  for (const double shift : {-1.3, 0.25}) {
    const Simulation simulation = echo_train(-0.4, shift, 0.02);
    const PrepareOptions found = with_ghost_correction(simulation.scan, {}, ctx);
    const View<const double> shifts = found.readout_shifts;
    const View<const std::complex<float>> factors = found.readout_factors;
    ASSERT_EQ(shifts.size(), 2 * std::ssize(simulation.scan.readouts));
    for (Index r = 0; r < shifts.shape()[0]; ++r) {
      const ReadoutHeader& header = simulation.scan.readouts[static_cast<std::size_t>(r)].header;
      const bool backward =
          header.has(AcquisitionFlag::reverse) && !header.has(AcquisitionFlag::phase_correction);
      EXPECT_NEAR(shifts[2 * r], backward ? shift / 48 : 0, 0.02 / 48) << r;
      EXPECT_NEAR(shifts[2 * r + 1], 0, 1e-9);
      for (Index c = 0; c < 4; ++c)
        EXPECT_NEAR(std::arg(factors[4 * r + c]), backward ? -0.4 + 0.2 * std::sin(2.0 * c) : 0, 0.03) << r;
    }
  }
}

TEST(GhostCorrection, LeavesOtherScansAlone) {
  Context ctx;
  const Simulation simulation = echo_train(0.5, 0.5);
  EXPECT_TRUE(with_ghost_correction(without_navigators(simulation), {}, ctx).readout_shifts.empty());
}

TEST(GhostCorrection, FlagsThatContradictTheTrajectoryAreWarnedOf) {
  // Which lines have the wrong flag: none, every second reversed one, every third, all reversed ones.
  const std::vector<std::function<bool(std::size_t, bool)>> wrong{
      [](std::size_t, bool) { return false; },
      [](std::size_t r, bool backward) { return backward && r % 4 < 2; },
      [](std::size_t r, bool) { return r % 3 == 0; }, [](std::size_t, bool backward) { return backward; }};
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const auto listener = std::make_shared<Listener>();
    Context ctx = listening(listener);
    Scan scan = echo_train(0.5, 0.5).scan;
    for (std::size_t r = 0; r < scan.readouts.size(); ++r) {
      ReadoutHeader& header = scan.readouts[r].header;
      if (header.has(AcquisitionFlag::phase_correction) || header.has(AcquisitionFlag::noise)) continue;
      if (wrong[i](r, header.has(AcquisitionFlag::reverse)))
        header.flags ^= std::uint64_t{1} << (static_cast<int>(AcquisitionFlag::reverse) - 1);
    }
    with_ghost_correction(scan, {}, ctx);
    EXPECT_EQ(listener->warnings.find("readouts run along the trajectory in the other direction") !=
                  std::string::npos,
              i > 0)
        << i << listener->warnings;
  }
}

TEST(GhostCorrection, NavigatorsThatCannotBeUsedAreWarnedOf) {
  const auto forwards = [](ReadoutHeader& header) {
    header.flags = 0;
    header.set(AcquisitionFlag::phase_correction);
  };
  const auto other_slice = [](ReadoutHeader& header) { header.counters.slice = 3; };
  const auto empty = [](ReadoutHeader& header) { header.discard_pre = 65535; };
  for (const std::function<void(ReadoutHeader&)>& change :
       std::vector<std::function<void(ReadoutHeader&)>>{forwards, other_slice, empty}) {
    const auto listener = std::make_shared<Listener>();
    Context ctx = listening(listener);
    Scan scan = echo_train(0.5, 0.5).scan;
    for (Readout& readout : scan.readouts)
      if (readout.header.has(AcquisitionFlag::phase_correction)) change(readout.header);
    EXPECT_TRUE(with_ghost_correction(scan, {}, ctx).readout_shifts.empty());
    EXPECT_NE(listener->warnings.find("20 reversed readouts have no navigators"), std::string::npos);
  }
}

}  // namespace
}  // namespace larmor::test
