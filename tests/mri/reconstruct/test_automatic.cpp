#include <larmor/core/format_error.hpp>
#include <larmor/mri/automatic/thinned.hpp>

#include "mri/reconstruct/best_by_hand.hpp"
#include "mri/synthetic_scan.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>

// What is done where neither a term nor density weights nor iterations are given.

namespace larmor {
namespace {

using C = std::complex<float>;
using test::automatic_options;
using test::best_by_hand;
using test::error_in_disc;
using test::error_with;
using testing::HasSubstr;

constexpr Index n = 48;

/// ‖a − b‖ / ‖b‖
double difference(View<const C> a, View<const C> b) {
  double squares = 0, all = 0;
  for (Index i = 0; i < b.size(); ++i) {
    squares += std::norm(std::complex<double>(a[i]) - std::complex<double>(b[i]));
    all += std::norm(std::complex<double>(b[i]));
  }
  return std::sqrt(squares / all);
}

Simulation simulated(double noise, Index spokes, SimulatedTrajectory trajectory = SimulatedTrajectory::radial,
                     std::uint64_t seed = 1) {
  Context ctx;
  return simulate_scan({.trajectory = trajectory,
                        .matrix = {n, n, 1},
                        .coils = 4,
                        .readouts = spokes,
                        .noise = noise,
                        .seed = seed},
                       ctx);
}

/// The least error of so many iterations, told instead of chosen.
double error_by_hand(const Simulation& simulation, DensityKind density,
                     std::initializer_list<Index> iterations, Context& ctx) {
  ReconstructOptions options = automatic_options(simulation);
  options.solve.automatic = false;
  options.density = density;
  double least = 1;
  for (const Index count : iterations) {
    options.solve.iterations = count;
    least = std::min(least, error_with(simulation, options, ctx));
  }
  return least;
}

TEST(Automatic, IsNearlyAsGoodAsTheBestByHand) {
  Context ctx;
  struct Case {
    SimulatedTrajectory trajectory;
    Index readouts;
    double noise;
  };
  for (const Case& c : {Case{SimulatedTrajectory::radial, 38, 0.005},
                        {SimulatedTrajectory::radial, 38, 0.08},
                        {SimulatedTrajectory::radial, 13, 0.02},
                        {SimulatedTrajectory::spiral, 8, 0.02},
                        {SimulatedTrajectory::spiral, 4, 0.08}}) {
    const auto simulation = simulated(c.noise, c.readouts, c.trajectory);
    const double found = error_with(simulation, automatic_options(simulation), ctx);
    EXPECT_LT(found, 1.08 * best_by_hand(simulation, automatic_options(simulation), ctx))
        << c.readouts << " readouts, noise " << c.noise;
  }
}

// A smooth object that fills a part of the field of view, with hardly any noise, is there after a few
// iterations: a random image of its power spectrum is not.
TEST(Automatic, StopsInTimeForSmoothObjectsWithLittleNoise) {
  Context ctx;
  struct Case {
    SimulatedTrajectory trajectory;
    Index readouts;
    double noise;
    std::uint64_t seed;
  };
  for (const Case& c : {Case{SimulatedTrajectory::radial, 38, 0.002, 1},
                        {SimulatedTrajectory::radial, 38, 0.005, 2},
                        {SimulatedTrajectory::radial, 19, 0.005, 3},
                        {SimulatedTrajectory::spiral, 8, 0.005, 4}}) {
    const auto simulation = simulate_scan({.trajectory = c.trajectory,
                                           .matrix = {n, n, 1},
                                           .coils = 4,
                                           .readouts = c.readouts,
                                           .noise = c.noise,
                                           .seed = c.seed,
                                           .object = SimulatedObject::smooth},
                                          ctx);
    const double found = error_with(simulation, automatic_options(simulation), ctx);
    EXPECT_LT(found, 1.1 * best_by_hand(simulation, automatic_options(simulation), ctx))
        << c.readouts << " readouts, noise " << c.noise;
  }
}

// Maps are often zero where there is no object. A random image that was merely cut off there would have
// edges, for which iterations go on.
TEST(Automatic, StopsInTimeWhereMapsEndWithTheObject) {
  Context ctx;
  for (const double noise : {0.002, 0.005}) {
    auto simulation = simulate_scan({.trajectory = SimulatedTrajectory::radial,
                                     .matrix = {n, n, 1},
                                     .coils = 4,
                                     .readouts = 38,
                                     .noise = noise,
                                     .object = SimulatedObject::smooth},
                                    ctx);
    float largest = 0;
    for (const C& value : simulation.truth) largest = std::max(largest, std::abs(value));
    for (Index i = 0; i < simulation.maps.size(); ++i)
      if (std::abs(simulation.truth[i % simulation.truth.size()]) < 1e-3F * largest) simulation.maps[i] = 0;
    const double found = error_with(simulation, automatic_options(simulation), ctx);
    EXPECT_LT(found, 1.1 * best_by_hand(simulation, automatic_options(simulation), ctx)) << noise;
  }
}

// An object that fills a flat field of view is as smooth along the short axis, cell by cell of k-space.
TEST(Automatic, StopsInTimeForSmoothObjectsInThinStacks) {
  Context ctx;
  const auto simulation = simulate_scan({.trajectory = SimulatedTrajectory::stack_of_stars,
                                         .matrix = {32, 32, 8},
                                         .coils = 4,
                                         .readouts = 13,
                                         .noise = 0.02,
                                         .object = SimulatedObject::smooth},
                                        ctx);
  const double found = error_with(simulation, automatic_options(simulation), ctx);
  EXPECT_LT(found, 1.1 * best_by_hand(simulation, automatic_options(simulation), ctx));
}

// Without density weights a kooshball's eigenvalues are far apart, and rounding keeps conjugate gradients
// from what their iterations promise: the choice must not fall for it.
TEST(Automatic, TakesWeightsWhereRoundingSlowsIterationsDown) {
  Context ctx;
  const auto simulation = simulate_scan({.trajectory = SimulatedTrajectory::kooshball,
                                         .matrix = {32, 32, 32},
                                         .coils = 8,
                                         .readouts = 804,
                                         .noise = 0.005,
                                         .seed = 1},
                                        ctx);
  EXPECT_LT(error_with(simulation, automatic_options(simulation), ctx),
            1.15 * error_by_hand(simulation, DensityKind::pipe, {22}, ctx));
}

// There iterations go on for longer than in a space that is kept orthogonal: 21 instead of 28 have 1.7 times
// the error of the best.
TEST(Automatic, GoesOnWhereRoundingSlowsIterationsDown) {
  Context ctx;
  auto simulation = simulate_scan({.trajectory = SimulatedTrajectory::kooshball,
                                   .matrix = {40, 40, 40},
                                   .coils = 4,
                                   .readouts = 2513,
                                   .noise = 0.005,
                                   .seed = 1,
                                   .object = SimulatedObject::smooth},
                                  ctx);
  EXPECT_LT(error_with(simulation, automatic_options(simulation), ctx),
            1.15 * error_by_hand(simulation, DensityKind::none, {18, 22, 26, 30}, ctx));
}

// Such a kooshball is judged by a part of its data. Weights would let noise in that a smooth object does
// without.
TEST(Automatic, DoesWithoutWeightsForSmoothObjectsInLargeKooshballs) {
  Context ctx;
  const auto simulation = simulate_scan({.trajectory = SimulatedTrajectory::kooshball,
                                         .matrix = {104, 104, 104},
                                         .coils = 1,
                                         .readouts = 1500,
                                         .noise = 0.02,
                                         .seed = 1,
                                         .object = SimulatedObject::smooth},
                                        ctx);
  EXPECT_LT(error_with(simulation, automatic_options(simulation), ctx),
            1.5 * error_by_hand(simulation, DensityKind::none, {15}, ctx));
}

PreparedImage prepared(SimulatedTrajectory trajectory, const std::array<Index, 3>& matrix, Index readouts) {
  Context ctx;
  const auto simulation = simulate_scan(
      {.trajectory = trajectory, .matrix = matrix, .coils = 1, .readouts = readouts, .noise = 0.01}, ctx);
  const ScanPlan plan = plan_scan(simulation.scan, {});
  return load_image(simulation.scan, plan, plan_channels(simulation.scan, plan, ctx), 0, ctx);
}

TEST(Thinning, LeavesAScanOfItsOwn) {
  const auto radial = prepared(SimulatedTrajectory::radial, {128, 128, 1}, 67);
  EXPECT_EQ(thinning_factor(radial, {128, 128}), 1);
  EXPECT_EQ(thinning_factor(radial, {256, 256}), 2);
  EXPECT_EQ(thinning_factor(radial, {512, 512}), 4);
  EXPECT_EQ(thinning_factor(radial, {1024, 1024}), 4) << "16 spokes are to be left";
  EXPECT_EQ(thinning_factor(prepared(SimulatedTrajectory::spiral, {64, 64, 1}, 64), {512, 512}), 1);
  EXPECT_EQ(thinning_factor(prepared(SimulatedTrajectory::kooshball, {32, 32, 32}, 300), {128, 128, 128}), 4);
  EXPECT_EQ(thinning_factor(prepared(SimulatedTrajectory::stack_of_stars, {32, 32, 32}, 20), {128, 128, 128}),
            1);
  std::vector<PreparedImage> frames;
  frames.push_back(prepared(SimulatedTrajectory::radial, {128, 128, 1}, 67));
  const auto few = std::move(thinned(frames, 2).front());
  EXPECT_EQ(few.readout_starts.size(), 35U);
  EXPECT_EQ(few.trajectory.shape()[0], few.readout_starts.back());
  EXPECT_NEAR(static_cast<double>(few.trajectory.shape()[0]),
              static_cast<double>(radial.trajectory.shape()[0]) / 4,
              0.02 * static_cast<double>(radial.trajectory.shape()[0]));
  // Neighbours in angle are twice as far from each other, though the scan's order is another one.
  std::vector<double> angles;
  for (std::size_t r = 0; r + 1 < few.readout_starts.size(); ++r) {
    const double* k = few.trajectory.data() + 2 * few.readout_starts[r];
    angles.push_back(std::remainder(std::atan2(k[1], k[0]), std::numbers::pi));
  }
  std::sort(angles.begin(), angles.end());
  double widest = 0;
  for (std::size_t i = 1; i < angles.size(); ++i) widest = std::max(widest, angles[i] - angles[i - 1]);
  EXPECT_LT(widest, 2.7 * std::numbers::pi / 34);
}

TEST(Automatic, APartOfALargeScanTellsWhatIsBest) {
  Context ctx;
  const auto simulation = simulate_scan({.trajectory = SimulatedTrajectory::radial,
                                         .matrix = {256, 256, 1},
                                         .coils = 4,
                                         .readouts = 80,
                                         .noise = 0.03},
                                        ctx);
  const auto error = [&](const ReconstructOptions& options) {
    const auto image = std::move(reconstruct(simulation.scan, options, ctx).series.images[0].pixels);
    std::complex<double> product = 0;
    double ours = 0, theirs = 0;
    for (Index i = 0; i < image.size(); ++i) {
      const std::complex<double> a(image[i]), b(simulation.truth[i]);
      product += std::conj(a) * b;
      ours += std::norm(a);
      theirs += std::norm(b);
    }
    return std::sqrt(1 - std::norm(product) / (ours * theirs));
  };
  ReconstructOptions options = automatic_options(simulation);
  const double found = error(options);
  options.solve.automatic = false;
  double least = 1;
  for (const Index iterations : {1, 2, 3, 4, 5, 7, 9, 12}) {
    options.density = iterations < 6 ? DensityKind::pipe : DensityKind::none;
    options.solve.iterations = iterations < 6 ? iterations : 2 * iterations;
    least = std::min(least, error(options));
  }
  EXPECT_LT(found, 1.08 * least);
}

TEST(Automatic, AWeightThatIsFoundSaysWhatItSmoothsAway) {
  Context ctx;
  std::vector<Transfer> transfers;
  for (const double noise : {0.005, 0.1}) {
    const auto simulation = simulated(noise, 38);
    auto options = automatic_options(simulation);
    options.solve.automatic = false;
    options.solve.regularizers = {{.name = "l2", .automatic = true}};
    const auto result = reconstruct(simulation.scan, options, ctx);
    EXPECT_TRUE(result.report.automatic.candidates.empty());
    transfers.push_back(result.report.transfer);
    options.solve.regularizers.front().name = "wavelet";
    EXPECT_TRUE(std::isnan(reconstruct(simulation.scan, options, ctx).report.transfer.bias));
  }
  EXPECT_GT(transfers[0].bias, 0);
  EXPECT_GT(transfers[1].bias, 2 * transfers[0].bias);
  EXPECT_LT(transfers[1].bias, 0.5);
  EXPECT_GE(transfers[1].resolution, transfers[0].resolution);
  EXPECT_GE(transfers[0].resolution, 1);
}

TEST(Automatic, SaysWhatGivesTheSameImage) {
  Context ctx;
  const auto simulation = simulated(0.05, 24);
  const auto result = reconstruct(simulation.scan, automatic_options(simulation), ctx);
  const AutomaticChoice& choice = result.report.automatic;
  ASSERT_EQ(choice.candidates.size(), 2u);
  EXPECT_EQ(choice.noise_variance, 1);
  EXPECT_FALSE(choice.noise_alone);
  const Transfer& transfer = choice.best().transfer;
  EXPECT_GT(transfer.bias, 0.01);
  EXPECT_LT(transfer.bias, choice.best().choice.best.error);
  EXPECT_GT(transfer.resolution, 1);
  EXPECT_LT(transfer.resolution, 6);
  EXPECT_EQ(result.report.density, to_string(choice.best().density));
  ReconstructOptions again = automatic_options(simulation);
  again.solve.automatic = false;
  again.density = choice.best().density;
  again.solve.iterations = static_cast<Index>(result.report.images.at(0).history.size());
  EXPECT_EQ(choice.best().choice.settled, result.report.images.at(0).stop_reason == StopReason::distance);
  if (!choice.best().choice.settled) {
    EXPECT_EQ(again.solve.iterations, choice.best().choice.best.iterations);
  }
  again.solve.regularizers = result.report.regularizers;
  const auto same = reconstruct(simulation.scan, again, ctx);
  EXPECT_LT(difference(result.series.images[0].pixels, same.series.images[0].pixels), 1e-5);
}

TEST(Automatic, DoesNotDependOnTheUnitsOfTheData) {
  Context ctx;
  const auto simulation = simulated(0.02, 24);
  const auto usual = reconstruct(simulation.scan, automatic_options(simulation), ctx);
  Scan louder = simulation.scan;
  for (auto& value : louder.data) value *= 1024;
  const auto loud = reconstruct(std::move(louder), automatic_options(simulation), ctx);
  EXPECT_NEAR(usual.report.regularizers.at(0).lambda, loud.report.regularizers.at(0).lambda,
              1e-6 * usual.report.regularizers.at(0).lambda);
  auto image = clone(loud.series.images[0].pixels);
  for (auto& value : image) value /= 1024;
  EXPECT_LT(difference(usual.series.images[0].pixels, image), 1e-4);
}

TEST(Automatic, EstimatesNoiseThatWasNotMeasured) {
  Context ctx;
  for (const double noise : {0.01, 0.05}) {
    const auto simulation = simulated(noise, 38);
    ReconstructOptions options = automatic_options(simulation);
    const double known = error_with(simulation, options, ctx);
    options.prepare.whiten = false;
    const auto result = reconstruct(simulation.scan, options, ctx);
    EXPECT_GT(result.report.automatic.noise_variance, 0);
    EXPECT_LT(error_in_disc(result.series.images[0].pixels, simulation.truth, ctx), 1.15 * known) << noise;
  }
}

TEST(Automatic, WhatWasFoundGivesTheSameImageWhenItIsGiven) {
  Context ctx;
  const auto simulation = simulated(0.02, 24);
  for (const char* term : {"", "l2:auto", "tv:auto", "wavelet:auto"}) {
    ReconstructOptions options = automatic_options(simulation);
    options.solve.automatic = *term == 0;
    if (*term != 0) options.solve.regularizers = {parse_regularizer(term)};
    if (std::string(term) == "tv:auto") options.solve.solver = Solver::admm;  // without a preconditioner
    const auto found = reconstruct(simulation.scan, options, ctx);
    const ReconstructionReport& report = found.report;
    options.solve.automatic = false;
    options.solve.regularizers.clear();
    if (*term == 0) {
      options.density = report.automatic.best().density;
      options.solve.iterations = static_cast<Index>(report.images[0].history.size());
    }
    // As it is printed.
    for (const RegularizerSpec& spec : report.regularizers)
      options.solve.regularizers.push_back(parse_regularizer(to_string(spec)));
    const auto again = reconstruct(simulation.scan, options, ctx);
    const auto& image = found.series.images[0].pixels;
    const bool warm = std::string(term) == "wavelet:auto";  // goes on from where the search has come to
    // The default's norm is the choice's own: what rounding makes of that is small next to the distance.
    const double rounding = *term == 0 ? 0.05 * report.images[0].distance : 1e-4;
    EXPECT_LT(difference(again.series.images[0].pixels, image), warm ? near_minimum : rounding) << term;
    if (std::string(term) != "tv:auto") continue;
    options.solve.iterations = 1000;
    EXPECT_LT(difference(reconstruct(simulation.scan, options, ctx).series.images[0].pixels, image),
              near_minimum);
  }
}

TEST(Automatic, NoiseAloneGivesASafeImageAndAWarning) {
  struct Listener : Reporter {
    void warning(const std::string& text) override { warnings += text + "\n"; }
    std::string warnings;
  };
  const auto listener = std::make_shared<Listener>();
  ContextOptions context;
  context.reporter = listener;
  Context ctx(Device::cpu(), context);
  auto simulation = simulated(0.02, 24);
  // Readouts of what the noise readout holds, scaled as their dwell times ask for.
  Scan& scan = simulation.scan;
  const Readout first = scan.readouts.front();
  const std::size_t channels = first.header.active_channels, there = first.header.samples;
  const auto factor = static_cast<float>(
      std::sqrt(first.header.sample_time_us / scan.readouts.back().header.sample_time_us / 0.793));
  std::size_t next = 0;
  for (std::size_t r = 1; r < scan.readouts.size(); ++r) {
    const Readout& readout = scan.readouts[r];
    const std::size_t samples = readout.header.samples;
    for (std::size_t s = 0; s < samples; ++s, ++next)
      for (std::size_t c = 0; c < channels; ++c)
        scan.data[readout.data_offset + c * samples + s] =
            factor * scan.data[first.data_offset + c * there + next % there];
  }
  const auto result = reconstruct(simulation.scan, automatic_options(simulation), ctx);
  EXPECT_TRUE(result.report.automatic.noise_alone);
  EXPECT_THAT(listener->warnings, HasSubstr("nothing that stands out"));
  for (const C& value : result.series.images[0].pixels) ASSERT_TRUE(std::isfinite(std::abs(value)));
}

TEST(Automatic, OneChoiceHoldsForAllImagesOfAScan) {
  Context ctx;
  auto simulation = simulated(0.02, 24);
  // A second repetition, four times as bright.
  Scan& scan = simulation.scan;
  const std::size_t one = scan.readouts.size(), values = scan.data.size();
  for (std::size_t r = 1; r < one; ++r) {
    Readout more = scan.readouts[r];
    more.header.counters.repetition = 1;
    more.data_offset += values;
    scan.readouts.push_back(more);
  }
  const auto first = scan.data;
  for (const auto& value : first) scan.data.push_back(value * 4.0F);
  const auto result = reconstruct(scan, automatic_options(simulation), ctx);
  ASSERT_EQ(result.series.images.size(), 2u);
  auto quarter = clone(result.series.images[1].pixels);
  for (auto& value : quarter) value /= 4;
  EXPECT_LT(difference(result.series.images[0].pixels, quarter), 1e-4);
}

TEST(Automatic, IsRefusedWithTerms) {
  const auto simulation = simulated(0.02, 24);
  ReconstructOptions options = automatic_options(simulation);
  options.solve.regularizers = {parse_regularizer("l2:1e-2")};
  EXPECT_THAT(test::error_of([&] {
                Context ctx;
                reconstruct(simulation.scan, options, ctx);
              }),
              HasSubstr("without terms"));
}

// Far below the weight that is found: with a rho as small as lambda the image stopped at 0.052.
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
  options.solve.regularizers = {parse_regularizer("tv:1e-5")};
  EXPECT_LT(error_with(simulation, options, ctx), 0.036);
}

}  // namespace
}  // namespace larmor
