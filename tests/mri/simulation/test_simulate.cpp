#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <tuple>

namespace larmor {
namespace {

using Complex = std::complex<float>;
using testing::HasSubstr;

const SimulatedTrajectory all_kinds[] = {SimulatedTrajectory::radial,
                                         SimulatedTrajectory::spiral,
                                         SimulatedTrajectory::kooshball,
                                         SimulatedTrajectory::stack_of_stars,
                                         SimulatedTrajectory::rotated_stack_of_stars,
                                         SimulatedTrajectory::cartesian};

SimulationOptions small(SimulatedTrajectory kind) {
  SimulationOptions options{.trajectory = kind, .matrix = {24, 20, 1}, .coils = 3};
  if (kind == SimulatedTrajectory::kooshball || kind == SimulatedTrajectory::stack_of_stars ||
      kind == SimulatedTrajectory::rotated_stack_of_stars)
    options.matrix[2] = 6;
  if (kind == SimulatedTrajectory::kooshball) options.readouts = 40;
  return options;
}

TEST(Simulate, EveryTrajectoryGivesAConsistentScan) {
  Context ctx;
  for (const auto kind : all_kinds) {
    const auto options = small(kind);
    const auto [scan, truth, maps, field] = simulate_scan(options, ctx);
    const Index dims = options.matrix[2] > 1 ? 3 : 2;
    const Shape shape = dims == 3 ? Shape{6, 20, 24} : Shape{20, 24};
    EXPECT_EQ(truth.shape(), shape);
    EXPECT_EQ(maps.shape(), shape.prepend(3));
    ASSERT_GT(scan.readouts.size(), 2u);
    EXPECT_TRUE(scan.readouts.front().header.has(AcquisitionFlag::noise));
    EXPECT_TRUE(scan.readouts.back().header.has(AcquisitionFlag::last_in_measurement));
    std::size_t data = 0, trajectory = 0;
    for (const auto& readout : scan.readouts) {
      const auto& header = readout.header;
      EXPECT_EQ(readout.data_offset, data);
      data += std::size_t{header.samples} * header.active_channels;
      if (header.has(AcquisitionFlag::noise)) continue;
      EXPECT_EQ(readout.trajectory_offset, trajectory);
      EXPECT_EQ(header.trajectory_dimensions, dims);
      trajectory += std::size_t{header.samples} * header.trajectory_dimensions;
    }
    EXPECT_EQ(scan.data.size(), data);
    EXPECT_EQ(scan.trajectory.size(), trajectory);
    float largest = 0;
    for (float k : scan.trajectory) largest = std::max(largest, std::abs(k));
    EXPECT_LE(largest, 0.5F);
    EXPECT_GE(largest, 0.4F);
  }
}

TEST(Simulate, NoiseWhitensToUnitVarianceAndHasTheAskedLevel) {
  Context ctx;
  auto options = small(SimulatedTrajectory::radial);
  options.readouts = 60;
  options.noise = 0.1;
  const auto noisy = simulate_scan(options, ctx);
  options.noise = 0;
  const auto clean = simulate_scan(options, ctx);
  EXPECT_FALSE(clean.scan.readouts.front().header.has(AcquisitionFlag::noise));

  const auto& first = noisy.scan.readouts.front().header;
  const Index coils = 3, offset = Index{first.samples} * coils;
  const View<const Complex> noise_scan(noisy.scan.data.data(), {coils, first.samples});
  const double factor = noisy.scan.readouts[1].header.sample_time_us / first.sample_time_us *
                        noisy.scan.relative_noise_bandwidth;
  const auto whitening = whitening_matrix(noise_covariance(noise_scan), factor);

  // The difference of the scans is the noise of the imaging readouts.
  const Index samples = noisy.scan.readouts[1].header.samples, readouts = 60;
  Array<Complex> noise({coils, readouts * samples});
  double power = 0;
  for (Index r = 0; r < readouts; ++r)
    for (Index c = 0; c < coils; ++c)
      for (Index j = 0; j < samples; ++j) {
        const auto at = static_cast<std::size_t>((r * coils + c) * samples + j);
        const Complex value = noisy.scan.data[at + static_cast<std::size_t>(offset)] - clean.scan.data[at];
        noise[c * readouts * samples + r * samples + j] = value;
        power += std::norm(value) / static_cast<double>(noise.size());
      }
  const auto covariance = noise_covariance(apply_channel_matrix(whitening, noise, ctx));
  for (Index a = 0; a < coils; ++a)
    for (Index b = 0; b < coils; ++b)
      EXPECT_NEAR(std::abs(covariance[a * coils + b] - (a == b ? 1.0 : 0.0)), 0, 0.06) << a << b;
  double brightest = 0;
  for (const auto& value : noisy.truth) brightest = std::max(brightest, static_cast<double>(std::abs(value)));
  EXPECT_NEAR(std::sqrt(power / (24 * 20)), 0.1 * brightest, 0.005 * brightest);
}

TEST(Simulate, SeedDecidesTheNoise) {
  Context ctx;
  auto options = small(SimulatedTrajectory::radial);
  options.readouts = 2;
  const auto a = simulate_scan(options, ctx), b = simulate_scan(options, ctx);
  EXPECT_EQ(a.scan.data, b.scan.data);
  options.seed = 2;
  EXPECT_NE(a.scan.data, simulate_scan(options, ctx).scan.data);
}

// With one coil, noise is σ times complex normal numbers from the bits of the standard's engine (Box & Muller
// 1958), in the order of the samples.
TEST(Simulate, NoiseOfASeedIsThatOfTheStandardsEngine) {
  Context ctx;
  auto options = small(SimulatedTrajectory::radial);
  options.coils = 1;
  options.readouts = 150;
  options.noise = 0.1;
  options.seed = 7;
  const auto noisy = simulate_scan(options, ctx);
  options.noise = 0;
  const auto clean = simulate_scan(options, ctx);

  double brightest = 0;
  for (const auto& value : noisy.truth) brightest = std::max(brightest, static_cast<double>(std::abs(value)));
  const double sigma = 0.1 * brightest * std::sqrt(24 * 20);
  const auto& [first, second] = std::tie(noisy.scan.readouts[0].header, noisy.scan.readouts[1].header);
  const double of_noise_readout =
      std::sqrt(noisy.scan.relative_noise_bandwidth * second.sample_time_us / first.sample_time_us);
  std::mt19937_64 engine(options.seed);
  const auto uniform = [&] { return (static_cast<double>(engine() >> 11) + 1) * 0x1p-53; };
  const std::size_t noise_samples = first.samples;
  for (std::size_t i = 0; i < noisy.scan.data.size(); ++i) {
    const double square = -std::log(uniform());
    const bool imaging = i >= noise_samples;
    const auto expected = std::complex<float>(std::polar(
        sigma * (imaging ? 1 : of_noise_readout) * std::sqrt(square), 2 * std::numbers::pi * uniform()));
    const auto noise = noisy.scan.data[i] - (imaging ? clean.scan.data[i - noise_samples] : Complex(0));
    ASSERT_LE(std::abs(noise - expected), 1e-4 * sigma) << i;
  }
}

// Scan, maps and truth are consistent: a noiseless reconstruction with the true maps is the truth.
TEST(Simulate, ReconstructionWithTheTrueMapsIsTheTruth) {
  Context ctx;
  for (const auto kind :
       {SimulatedTrajectory::radial, SimulatedTrajectory::spiral, SimulatedTrajectory::cartesian}) {
    SimulationOptions options{
        .trajectory = kind, .matrix = {48, 48, 1}, .coils = 4, .readouts = 80, .noise = 0};
    if (kind == SimulatedTrajectory::spiral) options.readouts = 8;
    const auto [scan, truth, maps, field] = simulate_scan(options, ctx);
    const Index samples = static_cast<Index>(scan.trajectory.size() / 2);
    Array<double> trajectory({samples, 2});
    Array<Complex> data({4, samples});
    for (Index i = 0; i < trajectory.size(); ++i)
      trajectory[i] = scan.trajectory[static_cast<std::size_t>(i)];
    Index position = 0;
    for (const auto& readout : scan.readouts) {
      for (Index c = 0; c < 4; ++c)
        for (Index j = 0; j < readout.header.samples; ++j)
          data[c * samples + position + j] =
              scan.data[readout.data_offset + static_cast<std::size_t>(c * readout.header.samples + j)];
      position += readout.header.samples;
    }
    const auto A = Nufft<float>(trajectory, {48, 48}, {.tolerance = 1e-4, .batch = 4, .scaled = false}, ctx) *
                   CoilMaps<float>(maps.view());
    auto image = conjugate_gradient(A, data, {}, {.iterations = 30}, ctx).x;
    // Radial and spiral scans do not cover the corners of k-space: only the discs are compared.
    const Fft<float> fft({48, 48}, 2);
    const auto expected = fft.apply(truth, ctx);
    image = fft.apply(image, ctx);
    double error = 0, norm = 0;
    for (Index p = 0; p < truth.size(); ++p) {
      if (std::hypot(p % 48 - 24, p / 48 - 24) > 0.9 * 24) continue;
      error += std::norm(image[p] - expected[p]);
      norm += std::norm(expected[p]);
    }
    EXPECT_LT(std::sqrt(error / norm), kind == SimulatedTrajectory::cartesian ? 1e-3 : 0.03)
        << static_cast<int>(kind);
  }
}

Array<double> trajectory_of(const Scan& scan) {
  Array<double> k({static_cast<Index>(scan.trajectory.size()) / 2, 2});
  std::copy(scan.trajectory.begin(), scan.trajectory.end(), k.begin());
  return k;
}

// The phase belongs to the image, not to the coils: maps do not change, and samples are those of the image
// with it.
TEST(Simulate, SmoothPhaseIsTheImages) {
  Context ctx;
  SimulationOptions options{.matrix = {32, 32, 1}, .coils = 3, .readouts = 16, .noise = 0};
  options.object = SimulatedObject::smooth;
  const auto plain = simulate_scan(options, ctx);
  options.phase = -2.5;
  const auto turned = simulate_scan(options, ctx);
  for (Index i = 0; i < plain.maps.size(); ++i) ASSERT_LT(std::abs(plain.maps[i] - turned.maps[i]), 1e-5F);
  for (Index p = 0; p < plain.truth.size(); ++p) {
    const double x = static_cast<double>(p % 32 - 16) / 32, y = static_cast<double>(p / 32 - 16) / 32;
    const auto phase = std::polar(1.0, -2.5 * std::sin(2 * std::numbers::pi * (0.64 * x + 0.48 * y)));
    ASSERT_LT(std::abs(Complex(std::complex<double>(plain.truth[p]) * phase) - turned.truth[p]), 2e-3F);
  }
  const auto k = trajectory_of(turned.scan);
  const auto A = Nufft<float>(k, {32, 32}, {.tolerance = 1e-5, .batch = 3, .scaled = false}, ctx) *
                 CoilMaps<float>(turned.maps.view());
  const auto expected = A.apply(turned.truth, ctx);
  double error = 0, size = 0;
  for (const Readout& readout : turned.scan.readouts)
    for (Index c = 0; c < 3; ++c)
      for (Index j = 0; j < readout.header.samples; ++j) {
        const Index at = static_cast<Index>(readout.trajectory_offset) / 2 + j;
        const Complex found =
            turned.scan.data[readout.data_offset + static_cast<std::size_t>(c * readout.header.samples + j)];
        error += std::norm(found - expected[c * k.shape()[0] + at]);
        size += std::norm(found);
      }
  EXPECT_LT(std::sqrt(error / size), 5e-3);
}

TEST(Simulate, PartialFourierLeavesOneSideOut) {
  Context ctx;
  SimulationOptions options{.matrix = {32, 20, 1}, .coils = 2, .readouts = 8, .noise = 0};
  const auto whole = simulate_scan(options, ctx).scan;
  options.partial_fourier = 0.75;
  const auto part = simulate_scan(options, ctx).scan;
  ASSERT_EQ(part.readouts.size(), whole.readouts.size());
  for (std::size_t r = 0; r < part.readouts.size(); ++r) {
    const Readout &one = part.readouts[r], &all = whole.readouts[r];
    ASSERT_EQ(one.header.samples, 48);
    for (std::size_t j = 0; j < 48; ++j) {
      EXPECT_EQ(part.trajectory[one.trajectory_offset + 2 * j],
                whole.trajectory[all.trajectory_offset + 2 * (j + 16)]);
      EXPECT_EQ(part.data[one.data_offset + 48 + j], whole.data[all.data_offset + 64 + 16 + j]);
    }
  }
  options.trajectory = SimulatedTrajectory::cartesian;
  const auto lines = simulate_scan(options, ctx).scan;
  ASSERT_EQ(lines.readouts.size(), 15U);
  EXPECT_EQ(lines.readouts.front().header.encode_step_1, 5);
  EXPECT_FLOAT_EQ(lines.trajectory[1], -0.25F);
  EXPECT_FLOAT_EQ(lines.trajectory.back(), 0.45F);
}

TEST(Simulate, RefusesWhatDoesNotFit) {
  Context ctx;
  EXPECT_THROW(simulate_scan({.partial_fourier = 0.4}, ctx), Error);
  EXPECT_THROW(simulate_scan({.trajectory = SimulatedTrajectory::spiral, .partial_fourier = 0.6}, ctx),
               Error);
  EXPECT_THROW(simulate_scan({.phase = 11}, ctx), Error);
  EXPECT_THROW(simulate_scan({.matrix = {64, 64, 8}}, ctx), Error);
  EXPECT_THROW(simulate_scan({.trajectory = SimulatedTrajectory::kooshball}, ctx), Error);
  EXPECT_THROW(simulate_scan({.matrix = {64, 0, 1}}, ctx), Error);
  EXPECT_THROW(simulate_scan({.matrix = {70000, 64, 1}}, ctx), Error);
  EXPECT_THROW(simulate_scan({.coils = 0}, ctx), Error);
  EXPECT_THROW(simulate_scan({.noise = -1}, ctx), Error);
  EXPECT_THROW(simulate_scan({.readouts = 1, .samples = 100000}, ctx), Error);
  EXPECT_THROW(simulate_scan({.fov_mm = {-1, 0, 0}}, ctx), Error);
}

}  // namespace
}  // namespace larmor
