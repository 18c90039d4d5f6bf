#include <larmor/mri/quality/power_spectrum.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

// Power spectra of data.

namespace larmor {
namespace {

using C = std::complex<float>;

TEST(PowerSpectrum, IsThatOfTheSamplesLessTheirNoise) {
  // White samples of power 1/(1 + (r/0.2)⁴) and noise of variance 0.05.
  const Index count = 200000;
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  std::normal_distribution<float> gauss(0, std::sqrt(0.5F));
  Array<double> trajectory({count, 2});
  Array<C> samples({1, count});
  const auto power = [](double radius) { return 1 / (1 + std::pow(radius / 0.2, 4)); };
  for (Index j = 0; j < count; ++j) {
    const double x = trajectory[2 * j] = uniform(generator), y = trajectory[2 * j + 1] = uniform(generator);
    const auto amplitude = static_cast<float>(std::sqrt(power(2 * std::hypot(x, y)) + 0.05));
    const float re = gauss(generator), im = gauss(generator);
    samples[j] = amplitude * C(re, im);
  }
  PowerSpectrumEstimate estimate({64, 64});
  estimate.add(trajectory, samples, {}, Context());
  const auto spectrum = estimate.spectrum(0.05);
  EXPECT_GT(spectrum.measured, 8);
  for (const double radius : {0.1, 0.3, 0.5, 0.9}) {
    // The centre of its shell.
    const auto count_of_shells = static_cast<double>(spectrum.power.size());
    const double middle =
        (std::floor(radius / std::sqrt(3.0) * count_of_shells) + 0.5) / count_of_shells * std::sqrt(3.0);
    EXPECT_NEAR(spectrum.power[spectrum.shell(middle)] / power(middle), 1, 0.35) << radius;
  }
  EXPECT_EQ(estimate.spectrum(100).measured, 0);
  // The outermost shell has hardly any signal.
  EXPECT_GT(estimate.most_noise(), 0.05);
  PowerSpectrumEstimate by_threads({64, 64});
  by_threads.add(trajectory, samples, {}, Context(Device::cpu(), {.threads = 3}));
  EXPECT_EQ(by_threads.energy(), estimate.energy());
  EXPECT_LT(estimate.most_noise(), 0.055);
}

// A smooth object has signal in two shells; extrapolating their power law gives 0.1 in the third shell, but
// the samples allow at most 0.04.
TEST(PowerSpectrum, HasNoMorePowerThanTheSamplesAllow) {
  const Index count = 200000;
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  Array<double> trajectory({count, 2});
  Array<C> samples({1, count});
  for (Index j = 0; j < count; ++j) {
    const double x = trajectory[2 * j] = uniform(generator), y = trajectory[2 * j + 1] = uniform(generator);
    samples[j] = static_cast<float>(std::sqrt(3 * std::exp(-std::pow(std::hypot(x, y) / 0.03, 2)) + 1));
  }
  PowerSpectrumEstimate estimate({64, 64});
  estimate.add(trajectory, samples, {}, Context());
  const auto spectrum = estimate.spectrum(1);
  ASSERT_EQ(spectrum.measured, 2);
  EXPECT_GT(spectrum.power[spectrum.shell(0.09)], 0.2);
  EXPECT_GT(spectrum.power[spectrum.shell(0.155)], 0);
  EXPECT_LT(spectrum.power[spectrum.shell(0.155)], 0.06);
}

// A spiral that starts outside the centre, and an image whose k-space extends beyond its end.
TEST(PowerSpectrum, GoesOnWhereThereAreNoSamples) {
  const Index count = 20000;
  Array<double> trajectory({count, 2});
  Array<C> samples({1, count});
  for (Index j = 0; j < count; ++j) {
    const double radius = 0.1 + 0.3 * static_cast<double>(j) / static_cast<double>(count);
    trajectory[2 * j] = radius * std::cos(static_cast<double>(j));
    trajectory[2 * j + 1] = radius * std::sin(static_cast<double>(j));
    samples[j] = static_cast<float>(std::pow(radius, -1.5));
  }
  PowerSpectrumEstimate estimate({64, 64});
  estimate.add(trajectory, samples, {}, Context());
  const auto spectrum = estimate.spectrum(1e-6);
  const auto at = [&](double radius) { return spectrum.power[spectrum.shell(radius)]; };
  EXPECT_EQ(at(0.02), at(0.19));  // equal to the first shell that has samples
  EXPECT_GT(at(0.95), 0.5 * std::pow(0.95 / 2, -3));
  EXPECT_LT(at(0.95), 2 * std::pow(0.95 / 2, -3));
}

TEST(PowerSpectrum, TellsWhatWeightsMakeOfTheNoise) {
  const Index count = 1000;
  Array<double> trajectory({count, 2}), weights({count});
  const Array<C> samples = filled<C>({2, count}, C(3, 4));
  double sum = 0, squares = 0, all = 0;
  for (Index j = 0; j < count; ++j) {
    const bool outer = j >= count / 2;
    trajectory[2 * j] = outer ? 0.4 : 0.05;
    trajectory[2 * j + 1] = 0;
    weights[j] = 1 + static_cast<double>(j % 4);
    all += weights[j];
    if (outer) sum += weights[j], squares += weights[j] * weights[j];
  }
  PowerSpectrumEstimate estimate({64, 64}), alike({64, 64});
  estimate.add(trajectory, samples, weights, Context());
  alike.add(trajectory, samples, {}, Context());
  const auto spectrum = estimate.spectrum(1);
  EXPECT_DOUBLE_EQ(spectrum.noise_gain[spectrum.shell(0.8)], squares / sum);
  EXPECT_DOUBLE_EQ(spectrum.noise_gain.back(), squares / sum);
  EXPECT_DOUBLE_EQ(alike.spectrum(1).noise_gain[spectrum.shell(0.8)], 1);
  EXPECT_DOUBLE_EQ(estimate.weight(), 2 * all);
  EXPECT_DOUBLE_EQ(estimate.weighted_energy(), 2 * all * 25);
  EXPECT_THROW(estimate.add(trajectory, samples, weights.view().slices(0, 10), Context()), Error);
}

}  // namespace
}  // namespace larmor
