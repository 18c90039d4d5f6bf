// Several slices at a time, from a scan to its images.
#include "error_of.hpp"
#include "mri/reconstruct/best_by_hand.hpp"
#include "random_arrays.hpp"

#include <larmor/mri/reconstruct/estimated_maps.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>

#include <gmock/gmock.h>

#include <numbers>
#include <tuple>

namespace larmor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Index matrix = 64;

Simulation scan_of_bands(SimulatedTrajectory trajectory, bool references = false, Index bands = 2) {
  Context ctx;
  SimulationOptions options{
      .trajectory = trajectory, .matrix = {matrix, matrix, 1}, .coils = 8, .noise = 0.005};
  options.readouts = trajectory == SimulatedTrajectory::radial ? 2 * matrix : 0;
  options.bands = bands;
  options.references = references;
  return simulate_scan(options, ctx);
}

ReconstructOptions default_options(Index bands = 2) {
  ReconstructOptions options{.solve = {.automatic = true}, .output = {.kind = ImageKind::complex}};
  options.prepare.bands.caipi = static_cast<double>(bands);
  return options;
}

// The largest error of the slices, each against its own truth.
double largest_error(const Reconstruction& found, const Simulation& simulation, Context& ctx) {
  double largest = 0;
  const Shape one{matrix, matrix};
  for (Index b = 0; b < simulation.truth.shape()[0]; ++b) {
    const auto& pixels = found.series.images.at(static_cast<std::size_t>(b)).pixels;
    largest =
        std::max(largest, error_in_disc(pixels.view().reshaped(one), simulation.truth.view().slice(b), ctx));
  }
  return largest;
}

TEST(Bands, ComeApart) {
  Context ctx;
  for (const auto trajectory : {SimulatedTrajectory::radial, SimulatedTrajectory::cartesian}) {
    const Simulation simulation = scan_of_bands(trajectory);
    ReconstructOptions options = default_options();
    options.coils.maps = simulation.maps;
    const auto found = reconstruct(simulation.scan, options, ctx);
    ASSERT_EQ(found.series.images.size(), 2U);
    EXPECT_LT(largest_error(found, simulation, ctx), 0.05);
    EXPECT_THAT(found.report.transform.normal_operator, HasSubstr("Toeplitz"));
    // At the positions given by the header.
    const auto& [first, second] = std::tie(found.series.images[0], found.series.images[1]);
    EXPECT_EQ(second.counters.slice, first.counters.slice + 1);
    EXPECT_NEAR(second.geometry.position[2] - first.geometry.position[2], 48, 1e-3);
    EXPECT_NEAR(first.geometry.position[2], 0, 1e-3);
    // With a wrong sign of the phases the reconstructed slices would be shifted.
    if (trajectory == SimulatedTrajectory::cartesian) continue;
    ReconstructOptions three = default_options(3);
    three.prepare.bands.count = 2;
    three.coils.maps = simulation.maps;
    EXPECT_GT(largest_error(reconstruct(simulation.scan, three, ctx), simulation, ctx), 0.15);
  }
}

TEST(Bands, OfThreeHaveASignedDisplacement) {
  Context ctx;
  const Simulation simulation = scan_of_bands(SimulatedTrajectory::cartesian, false, 3);
  ReconstructOptions options = default_options(3);
  options.coils.maps = simulation.maps;
  EXPECT_LT(largest_error(reconstruct(simulation.scan, options, ctx), simulation, ctx), 0.1);
  options.prepare.bands.caipi = -3;
  EXPECT_GT(largest_error(reconstruct(simulation.scan, options, ctx), simulation, ctx), 0.3);
}

TEST(Bands, HaveMapsOfReferencesOrOfTheScanItself) {
  Context ctx;
  for (const auto trajectory : {SimulatedTrajectory::radial, SimulatedTrajectory::cartesian})
    for (const bool references : {true, false}) {
      // For Cartesian lines without references, a band cannot be distinguished from a displaced one.
      if (trajectory == SimulatedTrajectory::cartesian && !references) continue;
      const Simulation simulation = scan_of_bands(trajectory, references);
      const auto found = reconstruct(simulation.scan, default_options(), ctx);
      EXPECT_EQ(found.report.calibration, references ? "espirit" : "nlinv");
      ASSERT_EQ(found.series.images.size(), 2U);
      EXPECT_LT(largest_error(found, simulation, ctx), 0.1) << references;
      const auto maps = estimate_maps(simulation.scan, default_options(), ctx);
      EXPECT_EQ(maps.maps.shape(), (Shape{2, 8, matrix, matrix}));
      ASSERT_EQ(maps.geometry.size(), 2U);
      EXPECT_NEAR(maps.geometry[1].position[2], 48, 1e-3);
    }
}

TEST(Bands, MaySayTheirPhasesOneByOne) {
  Context ctx;
  const Simulation simulation = scan_of_bands(SimulatedTrajectory::radial);
  ReconstructOptions options = default_options();
  options.coils.maps = simulation.maps;
  const auto steps = reconstruct(simulation.scan, options, ctx);
  Array<double> radians({2 * matrix, 2});
  for (Index i = 0; i < radians.size(); ++i)
    radians[i] = -std::numbers::pi * static_cast<double>(i / 2 % 2 * (i % 2));
  options.prepare.bands = {.factors = band_factors(radians)};
  const auto given = reconstruct(simulation.scan, options, ctx);
  EXPECT_LT(relative_difference(given.series.images[1].pixels, steps.series.images[1].pixels), 1e-4);
}

TEST(Bands, OfSeveralGroupsAreInterleaved) {
  Context ctx;
  Simulation simulation = scan_of_bands(SimulatedTrajectory::radial);
  const std::size_t count = simulation.scan.readouts.size();
  for (std::size_t r = 0; r < count; ++r) {
    Readout again = simulation.scan.readouts[r];
    if (again.header.has(AcquisitionFlag::noise)) continue;
    again.header.counters.slice = 1;
    again.header.position[2] += 5;
    simulation.scan.readouts.push_back(again);
  }
  ReconstructOptions options = default_options();
  const auto found = reconstruct(simulation.scan, options, ctx);
  std::vector<std::pair<int, double>> places;
  for (const Image& image : found.series.images)
    places.emplace_back(image.counters.slice, std::round(image.geometry.position[2]));
  std::sort(places.begin(), places.end());
  EXPECT_THAT(places,
              testing::ElementsAre(std::pair(0, 0), std::pair(1, 5), std::pair(2, 48), std::pair(3, 53)));
}

TEST(Bands, CountersThatLeaveThemTogetherAreRefused) {
  Context ctx;
  for (const auto trajectory : {SimulatedTrajectory::radial, SimulatedTrajectory::cartesian})
    for (const std::uint16_t step : {0, 1, 3}) {
      Simulation simulation = scan_of_bands(trajectory);
      for (Readout& readout : simulation.scan.readouts)  // odd ones are odd
        if (step == 0 || readout.header.encode_step_1 % 2 == 0) readout.header.encode_step_1 = step;
      EXPECT_THAT(fault_of([&] { reconstruct(simulation.scan, default_options(), ctx); }),
                  AllOf(HasSubstr("3 band_phases"), HasSubstr("kspace_encode_step_1")))
          << step;
    }
}

TEST(Bands, ReferencesWithWrongCountersAreWarnedOf) {
  Context ctx;
  const auto warnings = [&](const auto& change) {
    Simulation simulation = scan_of_bands(SimulatedTrajectory::cartesian, true);
    for (Readout& readout : simulation.scan.readouts)
      if (readout.header.has(AcquisitionFlag::calibration)) {
        change(readout.header.counters);
        break;
      }
    return select_scan(simulation.scan, default_options(), ctx).plan.warnings;
  };
  EXPECT_THAT(warnings([](ImageCounters&) {}), testing::IsEmpty());
  EXPECT_THAT(warnings([](ImageCounters& counters) { counters.slice = 77; }),
              testing::Contains(HasSubstr("beyond the 2 slices")));
  EXPECT_THAT(warnings([](ImageCounters& counters) { counters.phase = 1; }),
              testing::Contains(HasSubstr("less than half the readouts")));
  EXPECT_THAT(warnings([](ImageCounters& counters) { counters.slice ^= 1; }),
              testing::Contains(HasSubstr("measured more often")));
}

TEST(Bands, SayWhatIsMissing) {
  Context ctx;
  const Simulation simulation = scan_of_bands(SimulatedTrajectory::radial);
  const auto fault = [&](ReconstructOptions options) {
    return fault_of([&] { reconstruct(simulation.scan, options, ctx); });
  };
  EXPECT_THAT(fault({}), AllOf(HasSubstr("2 band_phases"), HasSubstr("their phases are not known")));
  ReconstructOptions options = default_options();
  options.prepare.bands.factors = filled<std::complex<double>>({2 * matrix, 3}, 1);
  options.prepare.bands.caipi = 0;
  EXPECT_THAT(fault(options), AllOf(HasSubstr("band_phases"), HasSubstr("expected [128, 2]")));
  // Constant phases cannot separate bands.
  options.prepare.bands.factors = filled<std::complex<double>>({2 * matrix, 2}, 1);
  EXPECT_THAT(fault(options), AllOf(HasSubstr("maps"), HasSubstr("single bands")));
  const Simulation lines = scan_of_bands(SimulatedTrajectory::cartesian);
  EXPECT_THAT(fault_of([&] { reconstruct(lines.scan, default_options(), ctx); }),
              AllOf(HasSubstr("maps"), HasSubstr("displace one relative to the other")));
  options = default_options();
  options.prepare.bands.count = 1;
  EXPECT_THAT(fault(options), HasSubstr("2 bands"));
  options = default_options();
  options.coils.combine = Combine::rss;
  EXPECT_THAT(fault(options), AllOf(HasSubstr("2 bands"), HasSubstr("rss")));
  options = default_options();
  const auto one = clone(simulation.maps.view().slice(0));
  options.coils.maps = one;
  EXPECT_THAT(fault(options), AllOf(HasSubstr("maps"), HasSubstr("of one slice")));
}

}  // namespace
}  // namespace larmor::test
