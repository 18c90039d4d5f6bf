#include <larmor/core/format_error.hpp>

#include "mri/reconstruct/best_by_hand.hpp"
#include "mri/synthetic_scan.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>

// Reconstructions without a given regulariser, density weights or number of iterations.

namespace larmor {
namespace {

using C = std::complex<float>;
using test::automatic_options;
using test::best_by_hand;
using test::error_in_disc;
using test::error_of_magnitudes;
using test::error_with;
using testing::HasSubstr;

constexpr Index n = 48;

SimulationOptions scan_of(Index spokes, double noise, SimulatedObject object = SimulatedObject::head) {
  return {.trajectory = SimulatedTrajectory::radial,
          .matrix = {n, n, 1},
          .coils = 4,
          .readouts = spokes,
          .noise = noise,
          .object = object};
}
Simulation simulated(const SimulationOptions& options) {
  Context ctx;
  return simulate_scan(options, ctx);
}

TEST(Automatic, IsNearlyAsGoodAsTheBestByHand) {
  using Object = SimulatedObject;
  using enum SimulatedTrajectory;
  struct Case {
    SimulatedTrajectory trajectory;
    std::array<Index, 3> matrix;
    Index readouts;
    double noise, limit;
    SimulatedObject object = Object::head;
    std::uint64_t seed = 1;
  };
  constexpr std::array<Index, 3> slice{n, n, 1}, slab{32, 32, 8}, volume{24, 24, 24};
  Context ctx;
  for (const Case& c : {Case{radial, slice, 38, 0.005, 1.12},
                        {radial, slice, 38, 0.08, 1.12},
                        {radial, slice, 13, 0.02, 1.12},
                        {spiral, slice, 8, 0.02, 1.12},
                        {spiral, slice, 4, 0.08, 1.12},
                        // A smooth object needs few iterations, and more would only add noise.
                        {radial, slice, 38, 0.002, 1, Object::smooth, 1},
                        {radial, slice, 38, 0.005, 1, Object::smooth, 2},
                        {radial, slice, 19, 0.005, 1, Object::smooth, 3},
                        {spiral, slice, 8, 0.005, 1, Object::smooth, 4},
                        // If it fills a flat field of view, it is smooth along the short axis, too, in units
                        // of k-space cells.
                        {stack_of_stars, slab, 13, 0.02, 1.1, Object::smooth},
                        {kooshball, volume, 452, 0.005, 1.12},
                        {kooshball, volume, 226, 0.02, 1.12, Object::texture},
                        {kooshball, volume, 452, 0.02, 1.12, Object::smooth}}) {
    const auto simulation = simulated({.trajectory = c.trajectory,
                                       .matrix = c.matrix,
                                       .coils = 4,
                                       .readouts = c.readouts,
                                       .noise = c.noise,
                                       .seed = c.seed,
                                       .object = c.object});
    const double found = error_with(simulation, automatic_options(simulation), ctx);
    EXPECT_LT(found, c.limit * best_by_hand(simulation, automatic_options(simulation), ctx))
        << c.readouts << " readouts, noise " << c.noise << ", object " << static_cast<int>(c.object);
  }
}

// If coil maps have errors of a few percent, the residual stays above the noise: iterations that also fit
// this part would make the image worse.
TEST(Automatic, TakesErrorsOfTheModelForNoise) {
  Context ctx;
  const auto simulation = simulated(scan_of(19, 0.001));
  Array<C> maps = clone<const C>(simulation.maps);
  const Array<C> random = test::random_complex(maps.shape(), 5);
  for (Index i = 0; i < maps.size(); ++i) maps[i] *= 1.0F + 0.04F * random[i];
  ReconstructOptions wrong = automatic_options(simulation);
  wrong.coils.maps = maps;
  ReconstructOptions fitted = wrong;
  fitted.solve.automatic = false;
  fitted.solve.iterations = 100;
  EXPECT_LT(error_with(simulation, wrong, ctx), 0.97 * error_with(simulation, fitted, ctx));
}

// Maps are often zero where there is no object.
TEST(Automatic, TakesMapsThatEndWithTheObject) {
  Context ctx;
  for (const double noise : {0.002, 0.005}) {
    auto simulation = simulated(scan_of(38, noise, SimulatedObject::smooth));
    float largest = 0;
    for (const C& value : simulation.truth) largest = std::max(largest, std::abs(value));
    for (Index i = 0; i < simulation.maps.size(); ++i)
      if (std::abs(simulation.truth[i % simulation.truth.size()]) < 1e-3F * largest) simulation.maps[i] = 0;
    const double found = error_with(simulation, automatic_options(simulation), ctx);
    EXPECT_LT(found, 1.1 * best_by_hand(simulation, automatic_options(simulation), ctx)) << noise;
  }
}

TEST(Automatic, ExpectsTheErrorThatItHas) {
  Context ctx;
  for (const double noise : {0.005, 0.02, 0.08})
    for (const Index spokes : {14, 38, 76}) {
      const auto simulation = simulated(scan_of(spokes, noise, SimulatedObject::texture));
      const auto result = reconstruct(simulation.scan, automatic_options(simulation), ctx);
      const double error = error_of_magnitudes(result.series.images[0].pixels, simulation.truth, 0);
      const ExpectedError& expected = result.report.solution.expectation.value().expected;
      EXPECT_NEAR(expected.error / error, 1, 0.3) << noise << ", " << spokes << " spokes";
      EXPECT_LT(expected.transfer.bias, expected.error);
      EXPECT_GE(expected.transfer.resolution, 1);
    }
}

// With orthogonal sampling every weight only scales the image, so no estimate may prefer one.
TEST(Automatic, KeepsTheIntensity) {
  Context ctx;
  const auto expect_intensity = [&](const SimulationOptions& options, const std::array<Simulation, 2>& scans,
                                    Combine combine) {
    ReconstructOptions least_squares = automatic_options(scans[0]);
    least_squares.coils.combine = combine;
    if (combine != Combine::sense) least_squares.coils.maps = {};
    ReconstructOptions by_default = least_squares;
    least_squares.solve.automatic = false;
    least_squares.density = DensityKind::pipe;
    least_squares.solve.iterations = 20;
    const auto expected = reconstruct(scans[0].scan, least_squares, ctx);
    for (const bool known : {true, false})
      for (const Simulation& simulation : scans) {
        by_default.prepare.whiten = known;
        const auto found = reconstruct(simulation.scan, by_default, ctx);
        double common = 0, all = 0;
        for (std::size_t image = 0; image < found.series.images.size(); ++image)
          for (Index i = 0; i < found.series.images[image].pixels.size(); ++i) {
            const std::complex<double> x(found.series.images[image].pixels[i]),
                y(expected.series.images[image].pixels[i]);
            common += (std::conj(y) * x).real(), all += std::norm(y);
          }
        EXPECT_NEAR(common / all, 1, 0.02)
            << "trajectory " << static_cast<int>(options.trajectory) << ", combine " << to_string(combine)
            << ", " << options.coils << " coils, noise " << (&simulation == scans.data() ? "none" : "0.005")
            << (known ? "" : " not known");
      }
  };
  for (const auto trajectory :
       {SimulatedTrajectory::cartesian, SimulatedTrajectory::radial, SimulatedTrajectory::spiral,
        SimulatedTrajectory::kooshball, SimulatedTrajectory::stack_of_stars})
    for (const Index coils : {1, 4}) {
      const bool volume =
          trajectory == SimulatedTrajectory::kooshball || trajectory == SimulatedTrajectory::stack_of_stars;
      SimulationOptions options{
          .trajectory = trajectory,
          .matrix = volume ? std::array<Index, 3>{16, 16, 16} : std::array<Index, 3>{32, 32, 1},
          .coils = coils,
          .noise = 0,
          .object = SimulatedObject::smooth};
      std::array<Simulation, 2> scans;
      for (Simulation& scan : scans) {
        scan = simulate_scan(options, ctx);
        options.noise = 0.005;
      }
      for (const Combine combine : {Combine::sense, Combine::rss, Combine::none})
        expect_intensity(options, scans, combine);
    }
}

TEST(Automatic, ConvergesAndSaysSo) {
  Context ctx;
  const auto simulation = simulated(scan_of(24, 0.02));
  ReconstructOptions options = automatic_options(simulation);
  const auto result = reconstruct(simulation.scan, options, ctx);
  EXPECT_EQ(result.report.images[0].stop_reason, StopReason::distance);
  EXPECT_EQ(result.report.density, "pipe");
  EXPECT_EQ(result.report.solution.expectation->noise_variance, 1);
  options.solve.iterations = 200;
  options.solve.tolerance = 1e-6;
  const auto further = reconstruct(simulation.scan, options, ctx);
  EXPECT_LT(test::relative_difference(result.series.images[0].pixels, further.series.images[0].pixels),
            0.2 * result.report.solution.expectation->expected.error);
}

TEST(Automatic, DoesNotDependOnTheUnitsOfTheData) {
  Context ctx;
  const auto simulation = simulated(scan_of(24, 0.02));
  const auto usual = reconstruct(simulation.scan, automatic_options(simulation), ctx);
  Scan louder = simulation.scan;
  for (auto& value : louder.data) value *= 1024;
  const auto loud = reconstruct(std::move(louder), automatic_options(simulation), ctx);
  auto image = clone(loud.series.images[0].pixels);
  for (auto& value : image) value /= 1024;
  EXPECT_LT(test::relative_difference(usual.series.images[0].pixels, image), 1e-4);
}

TEST(Automatic, EstimatesNoiseThatWasNotMeasured) {
  Context ctx;
  for (const double noise : {0.01, 0.05}) {
    const auto simulation = simulated(scan_of(38, noise));
    ReconstructOptions options = automatic_options(simulation);
    const double known = error_with(simulation, options, ctx);
    options.prepare.whiten = false;
    const auto result = reconstruct(simulation.scan, options, ctx);
    EXPECT_GT(result.report.solution.expectation->noise_variance, 0);
    EXPECT_LT(error_in_disc(result.series.images[0].pixels, simulation.truth, ctx), 1.15 * known) << noise;
  }
}

TEST(Automatic, IsRefusedWithTerms) {
  const auto simulation = simulated(scan_of(24, 0.02));
  ReconstructOptions options = automatic_options(simulation);
  options.solve.regularizers = {parse_regularizer("l2:1e-2")};
  EXPECT_THAT(test::error_of([&] {
                Context ctx;
                reconstruct(simulation.scan, options, ctx);
              }),
              HasSubstr("without terms"));
}

TEST(FoundWeights, GiveTheSameImageWhenTheyAreGiven) {
  Context ctx;
  const auto simulation = simulated(scan_of(24, 0.02));
  for (const char* term : {"l2:auto", "tv:auto", "wavelet:auto"}) {
    ReconstructOptions options = automatic_options(simulation);
    options.solve.automatic = false;
    options.solve.regularizers = {parse_regularizer(term)};
    const auto found = reconstruct(simulation.scan, options, ctx);
    const ReconstructionReport& report = found.report;
    options.solve.regularizers.clear();
    // In the printed form.
    for (const RegularizerSpec& spec : report.solution.regularizers)
      options.solve.regularizers.push_back(parse_regularizer(to_string(spec)));
    const auto again = reconstruct(simulation.scan, options, ctx);
    const auto& image = found.series.images[0].pixels;
    EXPECT_LT(test::relative_difference(again.series.images[0].pixels, image), 1e-4) << term;
  }
}

// Without weights, the mean eigenvalue of a kooshball is less than a thousandth of the largest, so nothing
// would converge.
TEST(FoundWeights, ConvergeInVolumes) {
  Context ctx;
  const auto simulation = simulate_scan({.trajectory = SimulatedTrajectory::kooshball,
                                         .matrix = {24, 24, 24},
                                         .coils = 4,
                                         .readouts = 338,
                                         .noise = 0.01,
                                         .seed = 1},
                                        ctx);
  ReconstructOptions options = automatic_options(simulation);
  const double by_default = error_with(simulation, options, ctx);
  options.solve.automatic = false;
  for (const char* term : {"wavelet:auto", "tv:auto"}) {
    options.solve.regularizers = {parse_regularizer(term)};
    const auto found = reconstruct(simulation.scan, options, ctx);
    EXPECT_EQ(found.report.images[0].stop_reason, StopReason::distance) << term;
    EXPECT_TRUE(found.report.solution.lambda_choice.interior) << term;
    const double error = error_in_disc(found.series.images[0].pixels, simulation.truth, ctx);
    EXPECT_LT(error, by_default) << term;
    for (const double factor : {0.4, 2.5}) {
      RegularizerSpec other = found.report.solution.regularizers.front();
      other.lambda *= factor;
      options.solve.regularizers = {other};
      EXPECT_LT(error, 1.05 * error_with(simulation, options, ctx)) << to_string(other);
    }
  }
}

// Far below the weight that is found: with rho as small as lambda the error of the image stopped at 0.052.
TEST(TotalVariation, ArrivesForSmallWeights) {
  Context ctx;
  const auto simulation = simulate_scan({.matrix = {128, 128, 1},
                                         .coils = 8,
                                         .readouts = 50,
                                         .noise = 0.005,
                                         .seed = 1,
                                         .object = SimulatedObject::texture},
                                        ctx);
  auto options = automatic_options(simulation);
  options.solve.automatic = false;
  options.solve.regularizers = {parse_regularizer("tv:1e-4")};
  EXPECT_LT(error_with(simulation, options, ctx), 0.036);
}

}  // namespace
}  // namespace larmor
