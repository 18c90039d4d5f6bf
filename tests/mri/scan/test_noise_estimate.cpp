#include "mri/phantom_scan.hpp"

#include <larmor/mri/scan/noise_estimate.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <gmock/gmock.h>

namespace larmor {
namespace {

using namespace test;

constexpr Index n = 64;

// Spokes of a head, `samples` each. Standard deviation of the noise: `noise` in the first channel, twice as
// much in the second; the third has its own noise plus half of the first channel's.
Scan noisy_spokes(double noise, Index samples, Context& ctx) {
  const Phantom phantom = head_with_coils(2, 3);
  Scan scan = empty_scan({n, n, 1}, {240, 240, 5});
  std::mt19937 generator(7);
  std::normal_distribution<float> gauss(0, static_cast<float>(noise / std::sqrt(2.0)));
  for (Index s = 0; s < 40; ++s) {
    const auto k = spoke(std::numbers::pi * static_cast<double>(s) / 40, samples);
    add_phantom_readout(scan, phantom, k, {n, n}, ctx);
    auto* data = scan.data.data() + scan.readouts.back().data_offset;
    for (Index j = 0; j < samples && noise > 0; ++j) {
      std::complex<float> white[3];
      for (auto& value : white) value = {gauss(generator), gauss(generator)};
      data[j] += white[0];
      data[samples + j] += 2.0F * white[1];
      data[2 * samples + j] += 0.5F * white[0] + white[2];
    }
  }
  return scan;
}

TEST(NoiseEstimate, IsTheCovarianceOfTheChannels) {
  Context ctx;
  // The centre of a head's k-space is about 900; noise of 0.2 % to 20 % of an image.
  for (const double noise : {0.128, 1.28, 12.8}) {
    const Scan scan = noisy_spokes(noise, 2 * n, ctx);
    const ScanPlan plan = plan_scan(scan, {});
    const auto found = estimate_noise(scan, plan, ctx);
    ASSERT_TRUE(found.has_value()) << noise;
    const auto entry = [&](Index a, Index b) { return found->covariance[a * 3 + b] / (noise * noise); };
    EXPECT_NEAR(std::sqrt(entry(0, 0).real()), 1, 0.05) << noise;
    EXPECT_NEAR(std::sqrt(entry(1, 1).real()), 2, 0.1) << noise;
    EXPECT_NEAR(std::sqrt(entry(2, 2).real()), std::sqrt(1.25), 0.06) << noise;
    EXPECT_LT(std::abs(entry(2, 0) - 0.5), 0.06) << noise;
    EXPECT_LT(std::abs(entry(1, 0)), 0.1) << noise;
    const ChannelPlan channels = plan_channels(scan, plan, ctx);
    EXPECT_TRUE(channels.whitened);
    EXPECT_TRUE(channels.estimated);
  }
}

TEST(NoiseEstimate, IsUnknownWithoutNoiseOrRoomForIt) {
  Context ctx;
  const Scan none = noisy_spokes(0, 2 * n, ctx);
  EXPECT_FALSE(estimate_noise(none, plan_scan(none, {}), ctx).has_value());
  // Samples spaced as the field of view requires leave no frequencies that contain only noise.
  const Scan coarse = noisy_spokes(1, n, ctx);
  EXPECT_FALSE(estimate_noise(coarse, plan_scan(coarse, {}), ctx).has_value());
  const ChannelPlan channels = plan_channels(coarse, plan_scan(coarse, {}), ctx);
  EXPECT_FALSE(channels.whitened);
  EXPECT_EQ(channels.covariance.size(), 0);
}

// Centre-out spokes have half a cycle per field of view between samples along themselves, and more along the
// diagonal of a box.
TEST(NoiseEstimate, OfAKooshballTakesAnObjectWithoutCorners) {
  Context ctx(Device::cpu(), {.threads = 2});
  for (const double level : {0.002, 0.02, 0.2}) {
    const auto simulation = simulate_scan({.trajectory = SimulatedTrajectory::kooshball,
                                           .matrix = {48, 48, 48},
                                           .coils = 3,
                                           .readouts = 600,
                                           .noise = level},
                                          ctx);
    const ScanPlan plan = plan_scan(simulation.scan, {});
    const ChannelPlan channels = plan_channels(simulation.scan, plan, ctx);
    const auto& measured = channels.covariance;
    const auto found = estimate_noise(simulation.scan, plan, ctx);
    ASSERT_TRUE(found.has_value()) << level;
    for (Index c = 0; c < 3; ++c)
      EXPECT_NEAR(std::sqrt(found->covariance[4 * c].real() / measured[4 * c].real()), 1, 0.05) << level;
  }
}

// Neither dense nor repeated: at the edges of k-space a smooth object leaves only noise; an object with edges
// does so only if the noise is large.
TEST(NoiseEstimate, AtTheEdgesOfKSpaceIsTheNoiseOfCorrelatedChannels) {
  Context ctx(Device::cpu(), {.threads = 2});
  const auto lines = [&](SimulatedObject object, double level) {
    auto simulation = simulate_scan({.trajectory = SimulatedTrajectory::cartesian,
                                     .matrix = {96, 96, 1},
                                     .coils = 4,
                                     .noise = level,
                                     .object = object},
                                    ctx);
    for (const Readout& readout : simulation.scan.readouts) {
      auto* data = simulation.scan.data.data() + readout.data_offset;
      const Index samples = readout.header.samples;
      for (Index j = 0; j < samples; ++j) data[samples + j] = 2.0F * data[samples + j] + data[j];
    }
    return simulation;
  };
  struct Case {
    SimulatedObject object;
    double level;
    bool known;
  };
  for (const Case& c : {Case{SimulatedObject::smooth, 0.002, true},
                        {SimulatedObject::smooth, 0.02, true},
                        {SimulatedObject::smooth, 0.2, true},
                        {SimulatedObject::head, 0.2, true},
                        {SimulatedObject::head, 0.02, false},
                        {SimulatedObject::head, 0.002, false},
                        {SimulatedObject::smooth, 0, false}}) {
    const auto simulation = lines(c.object, c.level);
    const ScanPlan plan = plan_scan(simulation.scan, {});
    const auto found = estimate_noise(simulation.scan, plan, ctx);
    ASSERT_EQ(found.has_value(), c.known) << c.level;
    if (!found) continue;
    EXPECT_THAT(found->source, testing::HasSubstr("edges of k-space"));
    // The noise readouts have another dwell time: a factor common to all channels does not matter.
    const auto measured = plan_channels(simulation.scan, plan, ctx).covariance;
    const auto entry = [&](const auto& covariance, Index a, Index b) {
      return covariance[a * 4 + b] / covariance[0].real();
    };
    for (Index a = 0; a < 4; ++a) {
      EXPECT_NEAR(std::sqrt(entry(found->covariance, a, a).real() / entry(measured, a, a).real()), 1, 0.05);
      for (Index b = 0; b < a; ++b)
        EXPECT_LT(std::abs(entry(found->covariance, a, b) - entry(measured, a, b)), 0.1);
    }
  }
}

TEST(NoiseEstimate, WarnsOfChannelsThatAreCombinationsOfOthers) {
  Context ctx;
  Scan scan = noisy_spokes(1, 2 * n, ctx);
  const auto warnings = [&] { return plan_channels(scan, plan_scan(scan, {}), ctx).warnings; };
  EXPECT_THAT(warnings(), testing::IsEmpty());
  for (const Readout& readout : scan.readouts) {
    auto* data = scan.data.data() + readout.data_offset;
    const Index samples = readout.header.samples;
    for (Index j = 0; j < samples; ++j) data[samples + j] = std::complex<float>(0, 2) * data[j];
  }
  EXPECT_THAT(warnings(), testing::Contains(testing::AllOf(
                              testing::StartsWith("noise covariance is singular: the noise of channel 1"),
                              testing::HasSubstr("the samples are used without whitening"))));
}

Simulation smooth_lines(Context& ctx) {
  return simulate_scan({.trajectory = SimulatedTrajectory::cartesian,
                        .matrix = {96, 96, 1},
                        .coils = 2,
                        .noise = 0.02,
                        .object = SimulatedObject::smooth},
                       ctx);
}

// With other sample positions in between, the object must still be recognised.
TEST(NoiseEstimate, PointsInNoOrderTellNothing) {
  Context ctx(Device::cpu(), {.threads = 2});
  auto simulation = smooth_lines(ctx);
  Scan& scan = simulation.scan;
  const auto found = [&] { return estimate_noise(scan, plan_scan(scan, {}), ctx).has_value(); };
  ASSERT_TRUE(found());
  // The same samples, reordered so that neighbours are five apart.
  for (const Readout& readout : scan.readouts) {
    const auto samples = static_cast<std::size_t>(readout.header.samples);
    const auto reordered = [&](auto* values, std::size_t each) {
      const std::vector before(values, values + samples * each);
      for (std::size_t j = 0; j < samples; ++j)
        std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(j * 5 % samples * each), each,
                    values + j * each);
    };
    for (std::size_t c = 0; c < 2; ++c) reordered(scan.data.data() + readout.data_offset + c * samples, 1);
    reordered(scan.trajectory.data() + readout.trajectory_offset, readout.header.trajectory_dimensions);
  }
  EXPECT_FALSE(found());
}

// Constant power everywhere, similar to that of a head's edges.
TEST(NoiseEstimate, APointsPowerIsNotTakenForNoise) {
  Context ctx(Device::cpu(), {.threads = 2});
  for (const double brightness : {0.0, 0.5, 3.0}) {
    auto simulation = smooth_lines(ctx);
    Scan& scan = simulation.scan;
    const ScanPlan plan = plan_scan(scan, {});
    const double noise = std::sqrt(estimate_noise(scan, plan, ctx).value().covariance[0].real());
    for (const Readout& readout : scan.readouts) {
      auto* data = scan.data.data() + readout.data_offset;
      for (Index j = 0; j < readout.header.samples; ++j)
        data[j] += std::complex<float>(
            std::polar(brightness * noise, 2 * std::numbers::pi * 20 * static_cast<double>(j) / 96));
    }
    EXPECT_EQ(estimate_noise(scan, plan, ctx).has_value(), brightness == 0) << brightness;
  }
}

// Repeated Cartesian lines, sampled no more densely than the field of view requires.
Scan repeated_lines(double noise, Index times, double growth, Context& ctx) {
  const Phantom phantom = head_with_coils(2, 2);
  Scan scan = empty_scan({n, n, 1}, {240, 240, 5}, "cartesian");
  for (Index time = 0; time < times; ++time)
    for (Index line = 0; line < n; ++line) {
      std::vector<float> k;
      for (Index x = 0; x < n; ++x) {
        k.push_back(static_cast<float>(x - n / 2) / n);
        k.push_back(static_cast<float>(line - n / 2) / n);
      }
      auto& header = add_phantom_readout(scan, phantom, k, {n, n}, ctx, noise);
      header.encode_step_1 = static_cast<std::uint16_t>(line);
      header.counters.repetition = static_cast<std::uint16_t>(time);
      auto* data = scan.data.data() + scan.readouts.back().data_offset;
      for (Index j = 0; j < n; ++j) {
        data[j] *= static_cast<float>(1 + growth * static_cast<double>(time));
        data[n + j] = 2.0F * data[n + j] + data[j];
      }
    }
  return scan;
}

TEST(NoiseEstimate, OfRepeatedReadoutsIsTheirDifference) {
  Context ctx;
  for (const double noise : {0.13, 12.8}) {
    const Scan scan = repeated_lines(noise, 3, 0, ctx);
    const ScanPlan plan = plan_scan(scan, {});
    const auto found = estimate_noise(scan, plan, ctx);
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->source, testing::HasSubstr("64 pairs"));
    const auto entry = [&](Index a, Index b) { return found->covariance[a * 2 + b] / (noise * noise); };
    EXPECT_NEAR(std::sqrt(entry(0, 0).real()), 1, 0.05);
    EXPECT_NEAR(std::sqrt(entry(1, 1).real()), std::sqrt(5.0), 0.1);
    EXPECT_LT(std::abs(entry(1, 0) - 1.0), 0.1);
    EXPECT_LT(std::abs(entry(0, 1) - 1.0), 0.1);
  }
  const auto unknown = [&](const Scan& scan) {
    return !estimate_noise(scan, plan_scan(scan, {}), ctx).has_value();
  };
  EXPECT_TRUE(unknown(repeated_lines(1, 1, 0, ctx)));    // nothing repeats
  EXPECT_TRUE(unknown(repeated_lines(0, 2, 0, ctx)));    // no noise
  EXPECT_TRUE(unknown(repeated_lines(1, 2, 0.1, ctx)));  // the object changes
  Scan contrasts = repeated_lines(1, 2, 0, ctx);
  for (Readout& readout : contrasts.readouts)
    std::swap(readout.header.counters.contrast, readout.header.counters.repetition);
  EXPECT_TRUE(unknown(contrasts));
}

TEST(NoiseEstimate, ChecksTheNoiseReadouts) {
  Context ctx;
  Scan scan = noisy_spokes(1, 2 * n, ctx);
  // Noise readouts of the same bandwidth, and one whose bandwidth is wrong by a factor of two.
  std::vector<std::complex<float>> noise(3 * 20000);
  const auto white = random_complex({3, 20000}, 9);
  for (Index j = 0; j < 20000; ++j) {
    const float root = static_cast<float>(1 / std::sqrt(2.0));
    noise[static_cast<std::size_t>(j)] = root * white[j];
    noise[static_cast<std::size_t>(20000 + j)] = 2 * root * white[20000 + j];
    noise[static_cast<std::size_t>(40000 + j)] = root * (0.5F * white[j] + white[40000 + j]);
  }
  add_readout(scan, {}, 0, 3, noise, 20000).set(AcquisitionFlag::noise);
  const auto warnings = [&] { return plan_channels(scan, plan_scan(scan, {}), ctx).warnings; };
  EXPECT_THAT(warnings(),
              testing::Not(testing::Contains(testing::HasSubstr("times that of the noise readouts"))));
  scan.relative_noise_bandwidth = 0.5;
  EXPECT_THAT(warnings(), testing::Contains(testing::HasSubstr("a bandwidth factor of 1")));
}

}  // namespace
}  // namespace larmor
