#include <larmor/core/error.hpp>
#include <larmor/mri/trajectory/gradient_delay.hpp>
#include <larmor/mri/trajectory/gradient_response.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace larmor {
namespace {

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

// exp(−2πi f τ) delays by τ; a real even function does not change straight lines.
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
  // A sine from the centre: 2 kHz, delayed along x, attenuated along y after settling.
  std::vector<double> wave;
  const double turn = 2 * std::numbers::pi * 2000 * dwell_us * 1e-6;
  for (int r = 0; r < 1000; ++r) wave.insert(wave.end(), {std::sin(turn * r), std::sin(turn * r)});
  response.apply(wave.data(), 1000, 2, dwell_us);
  for (int r = 200; r < 800; ++r) {
    EXPECT_NEAR(wave[static_cast<std::size_t>(2 * r)], std::sin(turn * (r - 1.5)), 4e-3);
    EXPECT_NEAR(wave[static_cast<std::size_t>(2 * r + 1)], std::exp(-0.02) * std::sin(turn * r), 4e-3);
  }
}

// Cross terms and B0 against sums over the past: h(t) = exp(−t/τ)/τ has H(f) = 1/(1 + 2πi f τ).
TEST(GradientResponse, CrossesAxesAndShiftsTheField) {
  constexpr Index count = 4001, samples = 400;
  constexpr double dwell_us = 4, decay_us = 40, share = 0.05, metres = 2e-3;
  Array<std::complex<double>> file({13, count});
  for (Index i = 0; i < count; ++i) {
    const double hz = 62.5 * static_cast<double>(i - count / 2);
    const auto low_pass = 1.0 / std::complex<double>(1, 2 * std::numbers::pi * hz * decay_us * 1e-6);
    for (Index row = 1; row < 13; ++row) file[row * count + i] = 0;
    file[i] = hz;
    for (const Index row : {2, 7, 12}) file[row * count + i] = 1;  // x, y, z of their own gradients
    file[1 * count + i] = metres * low_pass;                       // B0 of x
    file[3 * count + i] = share * low_pass;                        // y of x
  }
  const GradientResponse response(file);
  EXPECT_TRUE(response.crosses());
  const auto x_at = [](double t) { return t < 0 ? 0 : 0.2 * std::sin(0.01 * t) * std::sin(0.01 * t); };
  std::vector<double> k;
  for (Index r = 0; r < samples; ++r)
    k.insert(k.end(), {x_at(static_cast<double>(r)), 0.001 * static_cast<double>(r)});
  const auto given = k;
  const auto cycles = response.apply(k.data(), samples, 2, dwell_us, {2, 4, 1});  // pixels of 2 and 4 mm
  ASSERT_EQ(std::ssize(cycles), samples);
  for (Index r = 20; r < samples - 40; r += 10) {
    double past = 0;
    constexpr double step = 0.05;  // samples
    for (double ago = step / 2; ago < 20 * decay_us / dwell_us; ago += step)
      past += step * dwell_us / decay_us * std::exp(-ago * dwell_us / decay_us) *
              x_at(static_cast<double>(r) - ago);
    const auto at = static_cast<std::size_t>(r);
    EXPECT_NEAR(cycles[at], metres * past / 2e-3, 1e-3) << r;
    EXPECT_NEAR(k[2 * at], given[2 * at], 1e-4) << r;
    EXPECT_NEAR(k[2 * at + 1], given[2 * at + 1] + share * past * 4 / 2, 1e-4) << r;
  }
}

TEST(GradientResponse, RefusesWhatItCannotRead) {
  EXPECT_THROW(GradientResponse(filled<std::complex<double>>({5, 9}, 0)), Error);
  EXPECT_THROW(GradientResponse(filled<std::complex<double>>({2, 9}, 0)), Error);
  Array<std::complex<double>> positive({2, 3});
  for (Index i = 0; i < 6; ++i) positive[i] = static_cast<double>(i) + 1;
  EXPECT_THROW(GradientResponse{positive}, Error);
}

}  // namespace
}  // namespace larmor
