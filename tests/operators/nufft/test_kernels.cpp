// The gridding kernel: its transform, polynomials and errors, and transforms with it.
#include "error_of.hpp"
#include "random_arrays.hpp"

#include <larmor/core/math/fft.hpp>
#include <larmor/operators/nufft/kernel/grid_choice.hpp>
#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

namespace larmor::test {
namespace {

using nufft::Kernel;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Kernels, TransformIsTheIntegral) {
  for (const int width : {3, 6, 13}) {
    const Kernel kernel(width, 1.7);
    for (const double frequency : {0.0, 0.1, 0.29, 0.8, 1.3, 3.2}) {
      double sum = 0;
      constexpr int steps = 20000;
      for (int i = 0; i < steps; ++i) {
        const double x = (i + 0.5) / steps * width - 0.5 * width;
        sum += kernel(x) * std::cos(2 * std::numbers::pi * frequency * x) * width / steps;
      }
      EXPECT_NEAR(kernel.transform(frequency), sum, 1e-7) << width << " " << frequency;
    }
  }
}

TEST(Kernels, AreOneInTheMiddleEvenAndZeroOutside) {
  const Kernel kernel(5, 1.5);
  EXPECT_NEAR(kernel(0), 1, 1e-14);
  EXPECT_DOUBLE_EQ(kernel(1.3), kernel(-1.3));
  EXPECT_EQ(kernel(2.51), 0);
  for (double x = 0.1; x <= 2.5; x += 0.1) EXPECT_LT(kernel(x), kernel(x - 0.1));
}

// A prolate function is its own Fourier transform: φ̂(ξ) is proportional to φ at x = πw²ξ / (2c), c its
// bandwidth.
TEST(Kernels, ProlateIsItsOwnTransform) {
  for (const int width : {4, 8, 12}) {
    const Kernel kernel(width, 2.0);
    for (const double part : {0.2, 0.5, 0.9}) {
      const double frequency = part * kernel.beta() / (std::numbers::pi * width);
      EXPECT_NEAR(kernel.transform(frequency) / kernel.transform(0), kernel(part * 0.5 * width), 1e-12);
    }
  }
}

// The error estimate against what it stands for: the aliases of one point, summed on a fine grid.
TEST(Kernels, AliasingErrorIsWhatGriddingLeaves) {
  constexpr int pixels = 40;
  for (const auto& [width, oversampling] : {std::pair(4, 1.25), {5, 2.0}, {7, 1.5}}) {
    const Kernel kernel(width, oversampling);
    const int grid = static_cast<int>(pixels * oversampling);
    double sum = 0;
    int count = 0;
    for (double fraction = 0.03; fraction < 1; fraction += 0.0625)
      for (int pixel = -pixels / 2; pixel < pixels / 2; ++pixel, ++count) {
        const double frequency = static_cast<double>(pixel) / grid;
        std::complex<double> found = 0;
        for (int cell = -width; cell <= width; ++cell)
          found += kernel(cell - fraction) * std::polar(1.0, 2 * std::numbers::pi * frequency * cell);
        const auto exact = std::polar(1.0, 2 * std::numbers::pi * frequency * fraction);
        sum += std::norm(found / kernel.transform(frequency) - exact);
      }
    const double error = std::sqrt(sum / count);
    EXPECT_NEAR(kernel.error(oversampling).of_pixels(pixels) / error, 1, 0.1) << width << " " << oversampling;
  }
}

TEST(Kernels, PolynomialsReproduceThem) {
  for (const int width : {3, 6, 9}) {
    const Kernel kernel(width, 2.0);
    const double accuracy = 0.1 * kernel.error(2.0).mean;
    const auto p = nufft::fit<double>(kernel, accuracy);
    for (int l = 0; l < width; ++l)
      for (const double f : {0.0, 0.13, 0.5, 0.77, 0.999}) {
        double value = 0;
        for (int d = 0; d <= p.degree; ++d)
          value = value * (2 * f - 1) + p.coefficients[static_cast<std::size_t>(d * p.stride + l)];
        EXPECT_NEAR(value, kernel(l + f - 0.5 * width), 2 * accuracy) << width;
      }
  }
}

TEST(Kernels, DeapodisationIsTheInverseTransform) {
  const Context ctx(Device::cpu(), {.threads = 2});
  for (const Index pixels : {1, 2, 7, 300, 4099}) {
    const auto choice = nufft::choose_grid<double>(
        {pixels}, {.tolerance = 1e-4},
        {fast_fft_size, [](const auto& grid, int width) { return static_cast<double>(grid[0] * width); }});
    const auto factors = choice.deapodisation(pixels, 0, ctx);
    for (Index i = 0; i < pixels; ++i) {
      const double frequency = static_cast<double>(i - pixels / 2) / static_cast<double>(choice.grid[0]);
      EXPECT_NEAR(factors[i] * choice.kernel->kernel.transform(frequency), 1, 1e-12);
    }
  }
}

template <typename T>
void expect_accurate(int last_decade) {
  Context ctx(Device::cpu(), {.threads = 2});
  for (const Shape& image : {Shape{64}, Shape{16, 25}, Shape{8, 13, 10}}) {
    const auto k = random_real({500, image.rank()}, -0.5, 0.5, 17);
    const Nudft<T> exact(k, image, 2);
    const auto x = random_complex<T>(image.prepend(2), 3), y = random_complex<T>({2, 500}, 4);
    const auto forward = exact.apply(x, ctx), adjoint = exact.adjoint(y, ctx);
    for (int decade = 1; decade <= last_decade; ++decade) {
      const double tolerance = std::pow(10.0, -decade);
      const Nufft<T> nufft(k, image, {.tolerance = tolerance, .batch = 2}, ctx);
      EXPECT_LE(relative_difference(nufft.apply(x, ctx), forward), tolerance) << image.to_string();
      EXPECT_LE(relative_difference(nufft.adjoint(y, ctx), adjoint), tolerance) << image.to_string();
    }
  }
}

TEST(Kernels, TransformsMeetTheToleranceInFloat) {
  expect_accurate<float>(6);
}

TEST(Kernels, TransformsMeetTheToleranceInDouble) {
  expect_accurate<double>(12);
}

TEST(Kernels, ImpossibleRequestsNameTheBestValue) {
  Context ctx(Device::cpu(), {.threads = 1});
  const auto k = random_real({10, 2}, -0.5, 0.5, 1);
  const auto message = [&](NufftOptions options) {
    return error_of([&] { Nufft<float>(k, {32, 32}, options, ctx); });
  };
  // The tolerance that the message names is accepted.
  const auto text = message({.tolerance = 1e-8});
  ASSERT_THAT(text, AllOf(StartsWith("2: "), HasSubstr("in single precision")));
  const auto place = text.find("the best is ");
  ASSERT_NE(place, std::string::npos);
  const double best = std::stod(text.substr(place + 12));
  EXPECT_GT(best, 1e-8);
  EXPECT_EQ(message({.tolerance = 1.06 * best}), "");
}

}  // namespace
}  // namespace larmor::test
