// Adjoints of points clustered in a few cells of a large grid, compared with exact sums at some pixels.
#include "device_cases.hpp"

#include <larmor/operators/nufft/nufft.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace larmor::test {
namespace {

template <typename Case>
class NufftOfCrowds : public OnDevice<Case> {};
TYPED_TEST_SUITE(NufftOfCrowds, DeviceCases, CaseNames);

// Exact sums of an adjoint at pixels all over the image.
struct SomePixels {
  std::vector<Index> pixel;
  std::vector<std::complex<double>> exact;

  template <typename T>
  SomePixels(View<const double> k, View<const std::complex<T>> y, const Shape& image) {
    std::mt19937 generator(3);
    const Index dims = image.rank();
    for (int target = 0; target < 128; ++target) {
      pixel.push_back(static_cast<Index>(generator() % static_cast<std::uint64_t>(image.size())));
      double position[3] = {};
      for (Index a = 0, rest = pixel.back(); a < dims; ++a) {
        const Index n = image[static_cast<int>(dims - 1 - a)];
        position[a] = static_cast<double>(rest % n - n / 2);
        rest /= n;
      }
      std::complex<double> sum = 0;
      for (Index j = 0; j < y.size(); ++j) {
        double turns = 0;
        for (Index a = 0; a < dims; ++a) turns += std::fmod(k[j * dims + a] * position[a], 1.0);
        sum += std::complex<double>(y[j]) * std::polar(1.0, 2 * std::numbers::pi * turns);
      }
      exact.push_back(sum);
    }
  }

  template <typename T>
  double relative_error(View<const std::complex<T>> found) const {
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < pixel.size(); ++i) {
      error += std::norm(std::complex<double>(found[pixel[i]]) - exact[i]);
      norm += std::norm(exact[i]);
    }
    return std::sqrt(error / norm);
  }
};

// Moves points to the extent of eight pixels along every axis, around the periodic corner of the grid.
void crowd(Array<double>& k, Index points, const Shape& image) {
  const Index dims = image.rank();
  for (Index i = 0; i < points * dims; ++i)
    k[i] = 0.5 + 8 * k[i] / static_cast<double>(image[static_cast<int>(dims - 1 - i % dims)]);
}

// Grids with so many tiles that a CPU spreads several of them together; a sixth of the points is clustered.
TYPED_TEST(NufftOfCrowds, AdjointsOfLargeGridsAreTheExactSums) {
  using T = typename TypeParam::T;
  const Index samples = under_sanitizers ? 6000 : 30000;
  Context one = this->context({.threads = 1, .deterministic = true});
  Context four = this->context({.threads = 4, .deterministic = true});
  for (const Shape& image : {Shape{150001}, Shape{433, 397}, Shape{97, 85, 113}}) {
    auto k = random_real({samples, image.rank()}, -0.5, 0.5, 8);
    crowd(k, samples / 6, image);
    const auto y = random_complex<T>({samples}, 9);
    const SomePixels some(k.view(), View<const std::complex<T>>(y.view()), image);
    for (const int width : {4, sizeof(T) == 4 ? 6 : 11}) {
      const double tolerance = std::pow(10.0, 2 - width);
      const NufftOptions options{.tolerance = tolerance, .oversampling = 2, .scaled = false};
      const Nufft<T> nufft(this->there(clone(k)), image, options, one);
      const auto there = this->there(clone(y));
      const auto on_device = nufft.adjoint(there, one);
      EXPECT_TRUE(same_bits(on_device, nufft.adjoint(there, four)));
      EXPECT_LE(some.relative_error<T>(copied_to(Device::cpu(), on_device)), tolerance)
          << image.to_string() << " " << nufft.kernel_width();
    }
  }
}

// Grids of a few tiles: their points are divided into pieces, whose copies of the grid are added.
TYPED_TEST(NufftOfCrowds, AdjointsOfSmallGridsAreTheExactSums) {
  using T = typename TypeParam::T;
  Context one = this->context({.threads = 1, .deterministic = true});
  Context four = this->context({.threads = 4, .deterministic = true});
  for (const Shape& image : {Shape{40}, Shape{13, 29}, Shape{9, 10, 11}}) {
    const Index samples = 3001;
    const auto k = random_real({samples, image.rank()}, -0.5, 0.5, 8);
    for (const Index coils : {1, 3}) {
      const auto y = random_complex<T>({coils, samples}, 9);
      const SomePixels some(k.view(), View<const std::complex<T>>(y.view().slice(coils - 1)), image);
      for (const double tolerance : {1e-2, sizeof(T) == 4 ? 1e-4 : 1e-11}) {
        const NufftOptions options{.tolerance = tolerance, .batch = coils, .scaled = false};
        const Nufft<T> nufft(this->there(clone(k)), image, options, one);
        const auto there = this->there(clone(y));
        const auto on_device = nufft.adjoint(there, one);
        EXPECT_TRUE(same_bits(on_device, nufft.adjoint(there, four)));
        const auto found = copied_to(Device::cpu(), on_device);
        EXPECT_LE(some.relative_error<T>(found.view().slice(coils - 1)), tolerance)
            << image.to_string() << " " << coils << " " << tolerance;
      }
    }
  }
}

// Cells with clustered points sum thousands of values. With few points and many pixels, oversampling is low,
// and rounding of such sums is amplified most.
TEST(NufftOfCrowdsOnCpu, TheToleranceHoldsWithLowOversampling) {
  using T = float;
  const Shape image = under_sanitizers ? Shape{101, 90, 96} : Shape{200, 200, 200};
  Context one(Device::cpu(), {.threads = 1}), two(Device::cpu(), {.threads = 2});
  for (const Index samples : {Index{10000}, Index{under_sanitizers ? 20000 : 60000}}) {
    auto k = random_real({samples, 3}, -0.5, 0.5, 8);
    crowd(k, samples, image);
    const auto y = random_complex<T>({2, samples}, 9);
    const SomePixels some(k.view(), View<const std::complex<T>>(y.view().slice(0)), image);
    for (const auto& [coils, tolerance] : {std::pair<Index, double>{1, 1e-4}, {1, 1e-5}, {2, 1e-4}}) {
      const Nufft<T> nufft(k, image, {.tolerance = tolerance, .batch = coils, .scaled = false}, one);
      const auto values = y.view().slices(0, coils);
      const auto found = nufft.adjoint(values, one);
      if (tolerance < 1e-4) {
        EXPECT_TRUE(same_bits(found, nufft.adjoint(values, two)));
      }
      EXPECT_LE(some.relative_error<T>(found.view().slice(0)), tolerance)
          << samples << " points, " << coils << " coils, oversampling " << nufft.oversampling();
    }
  }
}

}  // namespace
}  // namespace larmor::test
