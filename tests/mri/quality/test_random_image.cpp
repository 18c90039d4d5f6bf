#include <larmor/mri/quality/random_image.hpp>
#include <larmor/operators/fft.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

// Power spectra of data, and images that have them.

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
  estimate.add(trajectory, samples);
  const auto spectrum = estimate.spectrum(0.05);
  EXPECT_GT(spectrum.measured, 8);
  for (const double radius : {0.1, 0.3, 0.5, 0.9}) {
    // The middle of its shell.
    const auto count_of_shells = static_cast<double>(spectrum.power.size());
    const double middle =
        (std::floor(radius / std::sqrt(3.0) * count_of_shells) + 0.5) / count_of_shells * std::sqrt(3.0);
    EXPECT_NEAR(spectrum.at(middle) / power(middle), 1, 0.35) << radius;
  }
  EXPECT_EQ(estimate.spectrum(100).measured, 0);
}

// A smooth object fills two shells; the power law through them has 0.1 in the third, of which 0.04 can be.
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
  estimate.add(trajectory, samples);
  const auto spectrum = estimate.spectrum(1);
  ASSERT_EQ(spectrum.measured, 2);
  EXPECT_GT(spectrum.at(0.09), 0.2);
  EXPECT_GT(spectrum.at(0.155), 0);
  EXPECT_LT(spectrum.at(0.155), 0.06);
}

TEST(RandomImage, HasTheSpectrumItIsMadeOf) {
  Context ctx;
  PowerSpectrum spectrum;
  for (int shell = 0; shell < 28; ++shell) spectrum.power.push_back(std::pow(10.0, -0.2 * shell));
  const auto image = random_image<float>(spectrum, {3, 64, 64}, 2, 5, ctx);
  const auto spectral = Fft<float>(image.shape(), 2).apply(image, ctx);
  double energy[3] = {}, expected = 0;
  for (Index i = 0; i < spectral.size(); ++i) {
    const double y = static_cast<double>(i / 64 % 64 - 32) / 32, x = static_cast<double>(i % 64 - 32) / 32;
    const double radius = std::hypot(x, y);
    if (radius < 0.4 || radius > 0.6) continue;
    energy[i / 4096] += std::norm(std::complex<double>(spectral[i]));
    if (i < 4096) expected += spectrum.at(radius);
  }
  for (const double value : energy) EXPECT_NEAR(value / expected, 1, 0.15);
}

TEST(RandomImage, GetsItsSpectrumBack) {
  Context ctx;
  PowerSpectrum spectrum;
  for (int shell = 0; shell < 28; ++shell) spectrum.power.push_back(std::pow(10.0, -0.4 * shell));
  const Shape shape{64, 64};
  auto image = random_image<float>(spectrum, shape, 2, 5, ctx);
  const auto at_the_edge = [&](View<const C> of) {
    const auto spectral = Fft<float>(shape, 2).apply(of, ctx);
    double energy = 0, expected = 0;
    for (Index i = 0; i < spectral.size(); ++i) {
      const double radius = std::hypot(i / 64 - 32, i % 64 - 32) / 32;
      if (radius < 0.9 || radius > 1) continue;
      energy += std::norm(std::complex<double>(spectral[i]));
      expected += spectrum.at(radius);
    }
    return energy / expected;
  };
  for (Index i = 0; i < image.size(); ++i)
    if (i % 64 < 20) image[i] = 0;
  EXPECT_GT(at_the_edge(image), 3);
  EXPECT_NEAR(at_the_edge(with_spectrum<float>(image, spectrum, 2, ctx)), 1, 0.15);
}

}  // namespace
}  // namespace larmor
