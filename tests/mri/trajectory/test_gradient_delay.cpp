#include "mri/trajectory/late_scan.hpp"

#include <larmor/core/error.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/mri/trajectory/delay_estimate.hpp>
#include <larmor/mri/trajectory/gradient_delay.hpp>
#include <larmor/mri/trajectory/gradient_response.hpp>
#include <larmor/mri/trajectory/spiral.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace larmor {
namespace {

using C = std::complex<float>;

struct Delayed {
  Trajectory nominal;
  Array<C> samples;
};

Array<double> moved(const Trajectory& trajectory, const GradientDelay& delay) {
  auto k = clone(trajectory.k);
  for (Index s = 0; s < trajectory.readouts; ++s)
    apply_gradient_delay(k.data() + s * trajectory.samples_per_readout * 2, trajectory.samples_per_readout, 2,
                         delay);
  return k;
}

// The head phantom, closed form, scanned with gradients that lag behind; noise relative to the largest
// sample.
Delayed delayed_scan(const RadialOptions& options, const GradientDelay& delay, Index coils, double noise,
                     unsigned seed, Context& ctx) {
  const Phantom phantom(2, head_phantom(2), coil_ring(2, coils));
  Delayed result{radial_2d(options), {}};
  const Index matrix = options.samples / 2;
  const auto exact = phantom.kspace(moved(result.nominal, delay), {matrix, matrix}, ctx);
  result.samples = converted<C>(exact.view());
  double largest = 0;
  for (const auto& value : exact) largest = std::max(largest, std::abs(value));
  std::mt19937 generator(seed);
  std::normal_distribution<double> gauss(0, noise * largest / std::sqrt(2.0));
  for (C& value : result.samples) value += C(std::complex<double>(gauss(generator), gauss(generator)));
  return result;
}

void expect_delay(const DelayEstimate& found, const GradientDelay& expected, double tolerance) {
  EXPECT_NEAR(found.delay.x, expected.x, tolerance);
  EXPECT_NEAR(found.delay.y, expected.y, tolerance);
  EXPECT_NEAR(found.delay.xy, expected.xy, tolerance);
}

TEST(GradientDelay, MovesSpokesByHand) {
  auto spokes =
      radial_2d({.spokes = 1, .samples = 8, .order = SpokeOrder::uniform}).k;  // along x, steps of 1/8
  apply_gradient_delay(spokes.data(), 8, 2, {.x = 0.5, .y = 3, .xy = 0.25});
  for (Index r = 0; r < 8; ++r) {
    EXPECT_NEAR(spokes[2 * r], (static_cast<double>(r) - 4 - 0.5) / 8, 1e-12);
    EXPECT_NEAR(spokes[2 * r + 1], -0.25 / 8, 1e-12);
  }
}

TEST(GradientDelay, MovesSpokesOfVolumes) {
  std::vector<double> spoke;
  for (int r = 0; r < 8; ++r)
    for (const double step : {0.1, -0.2, 0.3}) spoke.push_back(step * r);
  auto moved = spoke;
  apply_gradient_delay(moved.data(), 8, 3, {.x = 0.5, .y = 0.25, .z = 2});
  for (std::size_t r = 0; r < 8; ++r) {
    EXPECT_NEAR(moved[3 * r], spoke[3 * r] - 0.5 * 0.1, 1e-12);
    EXPECT_NEAR(moved[3 * r + 1], spoke[3 * r + 1] + 0.25 * 0.2, 1e-12);
    EXPECT_NEAR(moved[3 * r + 2], spoke[3 * r + 2] - 2 * 0.3, 1e-12);
  }
}

TEST(GradientDelay, ReadsCurvesOffEarlier) {
  std::vector<double> curve, early;
  for (int r = 0; r < 50; ++r) {
    const auto at = [](double t) {
      return std::pair(std::cos(0.1 * t) * t / 100, std::sin(0.1 * t) * t / 100);
    };
    curve.insert(curve.end(), {at(r).first, at(r).second});
    early.insert(early.end(), {at(r - 0.4).first, at(r - 1.3).second});
  }
  apply_gradient_delay(curve.data(), 50, 2, {.x = 0.4, .y = 1.3});
  for (std::size_t i = 8; i < 92; ++i) EXPECT_NEAR(curve[i], early[i], 1e-5) << i;
}

TEST(Ring, FindsSevenTenthsOfASampleInNoise) {
  Context ctx;
  const GradientDelay delays[] = {{0.7, 0.7, 0}, {0.7, -0.3, 0}, {-0.7, 0.2, 0.15}, {0, 0, 0}};
  unsigned seed = 1;
  for (const GradientDelay& delay : delays)
    for (const double noise : {0.0, 0.001, 0.005}) {
      const auto scan = delayed_scan({.spokes = 64, .samples = 192}, delay, 6, noise, ++seed, ctx);
      SCOPED_TRACE(noise);
      expect_delay(ring_delays(scan.nominal.k, scan.samples, 192, ctx), delay, 0.05);
    }
}

TEST(Ring, WorksForUniformSpokesOverHalfATurnAndOneCoil) {
  Context ctx;
  const GradientDelay delay{0.7, 0.4, -0.1};
  const RadialOptions uniform{.spokes = 48, .samples = 128, .order = SpokeOrder::uniform};
  const auto scan = delayed_scan(uniform, delay, 4, 0.002, 5, ctx);
  expect_delay(ring_delays(scan.nominal.k, scan.samples, 128, ctx), delay, 0.05);
  const auto single = delayed_scan(uniform, delay, 1, 0.001, 6, ctx);
  expect_delay(ring_delays(single.nominal.k, single.samples, 128, ctx), delay, 0.05);
}

TEST(Ring, KnowsHowSureItIs) {
  Context ctx;
  const GradientDelay delay{0.5, 0.2, 0};
  const auto quiet = delayed_scan({.spokes = 48, .samples = 128}, delay, 4, 0.001, 7, ctx),
             noisy = delayed_scan({.spokes = 48, .samples = 128}, delay, 4, 0.02, 8, ctx);
  const auto sure = ring_delays(quiet.nominal.k, quiet.samples, 128, ctx),
             unsure = ring_delays(noisy.nominal.k, noisy.samples, 128, ctx);
  EXPECT_GT(unsure.deviation.x, 3 * sure.deviation.x);
  EXPECT_LT(std::abs(sure.delay.x - 0.5), 5 * sure.deviation.x + 0.01);
  EXPECT_LT(std::abs(unsure.delay.x - 0.5), 5 * unsure.deviation.x);
}

TEST(Adaptive, FindsDelaysFromOppositeSpokes) {
  Context ctx;
  for (const GradientDelay& delay : {GradientDelay{0.7, 0.7, 0}, GradientDelay{0.7, 0.4, 0},
                                     GradientDelay{-1.3, 0.2, 0.1}, GradientDelay{0.5, -0.5, 0.3}}) {
    const auto scan = delayed_scan({.spokes = 128, .samples = 192}, delay, 6, 0.001, 9, ctx);
    expect_delay(adaptive_delays(scan.nominal.k, scan.samples, 192, ctx), delay, 0.02);
  }
}

// A scan whose file does not know of the delay: the images are those of the true trajectory.
TEST(GradientDelay, IsCorrectedOnTheWayToTheImage) {
  Context ctx;
  test::LateScan scan{.simulation = {}, .delay = {0.7, 0.4, 0.1}, .iterations = 12};
  scan.simulation.matrix = {64, 64, 1};
  scan.simulation.coils = 4;
  scan.simulation.readouts = 96;
  scan.simulation.noise = 0.002;
  EXPECT_LT(scan.error(DelayMethod::ring, ctx), 0.02);
  EXPECT_LT(scan.error(DelayMethod::adaptive, ctx), 0.03);
  EXPECT_GT(scan.error(DelayMethod::none, ctx), 0.1);
}

// exp(−2πi f τ) delays by τ, a real even function leaves straight lines alone.
TEST(GradientResponse, DelaysAndSmooths) {
  constexpr Index count = 201;
  constexpr double dwell_us = 4;
  Array<std::complex<double>> file({3, count});
  for (Index i = 0; i < count; ++i) {
    const double hz = 500 * static_cast<double>(i - 100);
    file[i] = hz;
    file[count + i] = std::polar(1.0, -2 * std::numbers::pi * hz * 6e-6);
    file[2 * count + i] = std::exp(-hz * hz / (2 * 10e3 * 10e3));
  }
  const GradientResponse response(file);
  auto spoke = radial_2d({.spokes = 2, .samples = 64, .order = SpokeOrder::uniform}).k;
  response.apply(spoke.data(), 64, 2, dwell_us);
  response.apply(spoke.data() + 128, 64, 2, dwell_us);
  for (Index r = 0; r < 64; ++r) {
    EXPECT_NEAR(spoke[2 * r], (static_cast<double>(r) - 32 - 1.5) / 64, 1e-4);
    EXPECT_NEAR(spoke[128 + 2 * r + 1], (static_cast<double>(r) - 32) / 64, 1e-9);
  }
  // A sine from the centre: 2 kHz, delayed along x, weakened along y once it has settled.
  std::vector<double> wave;
  const double turn = 2 * std::numbers::pi * 2000 * dwell_us * 1e-6;
  for (int r = 0; r < 1000; ++r) wave.insert(wave.end(), {std::sin(turn * r), std::sin(turn * r)});
  response.apply(wave.data(), 1000, 2, dwell_us);
  for (int r = 200; r < 800; ++r) {
    EXPECT_NEAR(wave[static_cast<std::size_t>(2 * r)], std::sin(turn * (r - 1.5)), 4e-3);
    EXPECT_NEAR(wave[static_cast<std::size_t>(2 * r + 1)], std::exp(-0.02) * std::sin(turn * r), 4e-3);
  }
}

TEST(GradientResponse, RefusesWhatItCannotRead) {
  EXPECT_THROW(GradientResponse(filled<std::complex<double>>({5, 9}, 0)), Error);
  EXPECT_THROW(GradientResponse(filled<std::complex<double>>({2, 9}, 0)), Error);
  Array<std::complex<double>> positive({2, 3});
  for (Index i = 0; i < 6; ++i) positive[i] = static_cast<double>(i) + 1;
  EXPECT_THROW(GradientResponse{positive}, Error);
}

TEST(GradientDelays, TellWhatTheyCannotDo) {
  Context ctx;
  const auto spiral = variable_density_spiral({.matrix = 32, .interleaves = 4});
  const auto none = filled<C>({2, spiral.k.shape()[0]}, 1);
  EXPECT_THROW(ring_delays(spiral.k, none, spiral.samples_per_readout, ctx), Error);
  const auto half =
      delayed_scan({.spokes = 16, .samples = 64, .order = SpokeOrder::uniform}, {}, 2, 0, 1, ctx);
  EXPECT_THROW(adaptive_delays(half.nominal.k, half.samples, 64, ctx), Error);
}

}  // namespace
}  // namespace larmor
