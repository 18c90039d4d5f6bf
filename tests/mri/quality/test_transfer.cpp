#include <larmor/mri/quality/replicas.hpp>
#include <larmor/mri/quality/shells.hpp>
#include <larmor/mri/quality/transfer.hpp>
#include <larmor/operators/fft.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

// Transfer functions of known filters.

namespace larmor {
namespace {

using C = std::complex<float>;

// Radius of an element of k-space in cells, 1 at the edge of the longest axis.
double radius(Index i, const Shape& shape, int dims) {
  double squared = 0;
  Index longest = 1;
  for (int axis = shape.rank() - 1; axis >= shape.rank() - dims; --axis) {
    const Index n = shape[axis];
    squared += std::pow(static_cast<double>(i % n - n / 2), 2);
    longest = std::max(longest, n);
    i /= n;
  }
  return std::sqrt(squared) / (0.5 * static_cast<double>(longest));
}

/// An image of random phases whose power falls off with the distance from the centre of k-space.
template <typename Power>
Array<C> random_image(const Power& power, const Shape& shape, int dims, std::uint64_t seed, Context& ctx) {
  Array<C> spectral = unit_noise(shape, seed, 0, ctx);
  for (Index i = 0; i < spectral.size(); ++i)
    spectral[i] *= static_cast<float>(std::sqrt(power(radius(i, shape, dims))));
  return Fft<float>(shape, dims).adjoint(spectral, ctx);
}

TEST(Shells, AreAsManyCellsFromTheCentreAlongEveryAxis) {
  const Shells shells({2, 16, 64, 48}, 3);
  EXPECT_EQ(shells.to_edge(), 16);
  const auto value = [](Index z, Index y, Index x) { return ((16 + 8 + z) * 64 + 32 + y) * 48 + 24 + x; };
  for (const Index i : {value(-6, 0, 0), value(0, 6, 0), value(0, 0, -6)}) {
    EXPECT_DOUBLE_EQ(shells.radius(i), 6.0 / 32);
    EXPECT_EQ(shells.of(i), 3);
  }
  EXPECT_LT(shells.of(value(-8, -32, -24)), shells.count());
}

TEST(Transfer, IsThatOfAKnownFilter) {
  Context ctx;
  const auto spectrum = [](double radius) { return std::pow(10.0, -0.8 * radius); };
  for (const Shape& shape : {Shape{96, 64}, Shape{2, 64, 80}, Shape{24, 32, 28}}) {
    const int dims = shape.rank() == 3 && shape[0] == 24 ? 3 : 2;
    const auto image = random_image(spectrum, shape, dims, 3, ctx);
    const auto noise = random_image(spectrum, shape, dims, 4, ctx);
    const Fft<float> fft(shape, dims);
    for (const double half : {0.3, 0.6, 5.0}) {
      auto filtered = fft.apply(image, ctx);
      double lost = 0, all = 0;
      for (Index i = 0; i < filtered.size(); ++i) {
        // 0.9 at the centre, half of that at the radius `half`.
        const double t = 0.9 / (1 + std::pow(radius(i, shape, dims) / half, 2));
        all += std::norm(std::complex<double>(filtered[i]));
        lost += std::norm((1 - t) * std::complex<double>(filtered[i]));
        filtered[i] *= static_cast<float>(t);
      }
      auto x = fft.adjoint(filtered, ctx);
      // A part that does not correlate with the object has little effect.
      axpy<float>(0.1, noise, x, ctx);
      const Transfer found = transfer_of<float>(x, image, dims, ctx);
      EXPECT_NEAR(found.bias, std::sqrt(lost / all), 0.03) << half;
      EXPECT_NEAR(1 / found.resolution, std::min(half, 1.0), 0.06) << half;
    }
  }
}

TEST(Transfer, OfAnObjectThatEndsWithinKSpace) {
  Context ctx;
  const auto spectrum = [](double radius) { return radius < 0.62 ? 1.0 : 0.0; };
  const auto image = random_image(spectrum, {64, 64}, 2, 3, ctx);
  const Transfer found = transfer_of<float>(image, image, 2, ctx);
  EXPECT_NEAR(found.bias, 0, 1e-6);
  EXPECT_NEAR(1 / found.resolution, 0.62, 0.07);
  const Array<C> nothing = filled<C>({64, 64}, 0.0F);
  EXPECT_TRUE(std::isnan(transfer_of<float>(image, nothing, 2, ctx).bias));
}

}  // namespace
}  // namespace larmor
