#include "mri/phantom_scan.hpp"
#include "random_arrays.hpp"

#include <larmor/core/math/dominant_eigenvectors.hpp>
#include <larmor/core/math/small_matrices.hpp>
#include <larmor/mri/coils/calibration.hpp>
#include <larmor/mri/coils/coil_maps.hpp>
#include <larmor/mri/coils/espirit.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/mri/trajectory/spiral.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <gtest/gtest.h>

#include <random>

namespace larmor {
namespace {

using Complex = std::complex<float>;

Phantom head(int dims, Index coils) {
  return Phantom(dims, head_phantom(dims), coil_ring(dims, coils));
}

void expect_unit_or_zero(View<const Complex> maps) {
  const Index coils = maps.shape()[0], pixels = maps.size() / coils;
  for (Index p = 0; p < pixels; ++p) {
    double squares = 0;
    for (Index c = 0; c < coils; ++c) squares += std::norm(maps[c * pixels + p]);
    if (squares != 0) {
      ASSERT_NEAR(squares, 1, 1e-4) << p;
    }
  }
}

struct Estimate {
  CalibrationRegion region;
  Array<Complex> maps;
};

Array<Complex> samples_of(const Phantom& phantom, View<const double> k, const Shape& shape, Context& ctx) {
  return converted<Complex>(phantom.kspace(k, shape, ctx).view());
}

Estimate estimate(const Phantom& phantom, const Array<double>& k, const Shape& shape,
                  const CalibrationOptions& options, Context& ctx) {
  Estimate result;
  result.region = calibration_region(k, samples_of(phantom, k, shape, ctx), shape, options, ctx);
  result.maps = espirit_maps(result.region, shape, {}, ctx);
  return result;
}

TEST(CalibrationRegion, EqualsTheClosedFormAtTheCentre) {
  Context ctx;
  const Shape shape{64, 60};
  const auto phantom = head(2, 4);
  const auto radial = radial_2d({.spokes = 101, .samples = 128});
  const auto region =
      calibration_region(radial.k, samples_of(phantom, radial.k, shape, ctx), shape, {.size = 16}, ctx);
  ASSERT_EQ(region.kspace.shape(), (Shape{4, 16, 16}));
  EXPECT_EQ(region.fov[0], 64);
  EXPECT_EQ(region.fov[1], 60);
  Array<double> k({256, 2});
  for (Index i = 0; i < 256; ++i) {
    k[2 * i] = static_cast<double>(i % 16 - 8) / 60;
    k[2 * i + 1] = static_cast<double>(i / 16 - 8) / 64;
  }
  const auto expected = phantom.kspace(k, shape, ctx);
  EXPECT_LT(test::relative_difference(region.kspace, expected), 0.04);
}

TEST(CalibrationRegion, FieldOfViewFollowsTheObject) {
  Context ctx;
  // The image is twice the object's field of view: the region keeps the requested one, or grows for an object
  // that extends beyond it.
  const Shape shape{96, 96};
  const auto radial = radial_2d({.spokes = 151, .samples = 192});
  for (const double radius : {0.2, 0.35}) {
    const Phantom disc(2, {{PhantomPart::Kind::ellipsoid, 1.0, {}, {radius, 0.15, 0.1}, 0}}, coil_ring(2, 3));
    const auto region = calibration_region(radial.k, samples_of(disc, radial.k, shape, ctx), shape,
                                           {.size = 24, .fov_pixels = {48, 48}}, ctx);
    EXPECT_NEAR(region.fov[0], 48, 1.5);
    EXPECT_NEAR(region.fov[1], radius < 0.25 ? 48 : 2 * 0.35 * 96 * 1.1, 6) << radius;
  }
}

TEST(CalibrationRegion, RefusesScansWithoutACentre) {
  Context ctx;
  Array<double> k({100, 2});
  for (auto& value : k) value = 0.4;
  EXPECT_THROW(calibration_region(k, filled<Complex>({2, 100}, 1), {64, 64}, {}, ctx), Error);
}

TEST(Espirit, FindsTheMapsOfNoiselessScans) {
  Context ctx;
  struct Case {
    Trajectory trajectory;
    Shape shape;
    Index coils, region;
    double limit;
  };
  std::vector<Case> cases;
  cases.push_back({radial_2d({.spokes = 120, .samples = 128}), {72, 64}, 6, 24, 0.06});
  cases.push_back({kooshball_3d(1600, 30), {18, 30, 28}, 5, 14, 0.1});
  for (const Index size : {16, 20, 24, 32})
    cases.push_back(
        {variable_density_spiral({.fov_mm = 240, .matrix = 64, .interleaves = 6}), {64, 64}, 6, size, 0.09});
  for (const Case& c : cases) {
    const auto phantom = head(c.shape.rank(), c.coils);
    const auto [region, maps] = estimate(phantom, c.trajectory.k, c.shape, {.size = c.region}, ctx);
    ASSERT_EQ(maps.shape(), c.shape.prepend(c.coils));
    expect_unit_or_zero(maps);
    EXPECT_LT(test::map_error(maps, phantom, c.shape, ctx), c.limit) << c.shape.to_string() << c.region;
  }
}

TEST(Espirit, WorksOnAnOddImageLargerThanTheFieldOfView) {
  Context ctx;
  const Shape shape{95, 97};
  std::vector<PhantomPart> parts = head_phantom(2);
  for (auto& part : parts)
    for (std::size_t axis = 0; axis < 2; ++axis) {
      part.centre[axis] *= 0.5;
      part.radii[axis] *= 0.5;
    }
  const Phantom phantom(2, parts, coil_ring(2, 5));
  const auto radial = radial_2d({.spokes = 120, .samples = 192});
  const auto [region, maps] = estimate(phantom, radial.k, shape, {.fov_pixels = {48, 48}}, ctx);
  EXPECT_LT(region.fov[1], 60);
  EXPECT_EQ(maps[0], Complex(0));  // outside the region's field of view
  EXPECT_LT(test::map_error(maps, phantom, shape, ctx), 0.08);
}

TEST(Espirit, PhaseOfTheFirstPrincipalComponentIsZeroAndThreadsDoNotMatter) {
  Context one(Device::cpu(), {.threads = 1}), two(Device::cpu(), {.threads = 2});
  const Shape shape{40, 44};
  const auto phantom = head(2, 4);
  const auto radial = radial_2d({.spokes = 70, .samples = 88});
  const auto [region, maps] = estimate(phantom, radial.k, shape, {}, one);
  const auto again = espirit_maps(region, shape, {}, two);
  for (Index i = 0; i < maps.size(); ++i) ASSERT_EQ(maps[i], again[i]);
  // A constant phase of one channel changes only its map, except for a phase common to all pixels.
  auto turned = clone(region.kspace);
  const auto factor = std::polar(1.0F, 0.7F);
  for (Index i = 0; i < turned.size() / 4; ++i) turned[i] *= factor;
  const auto other = espirit_maps({std::move(turned), region.fov}, shape, {}, one);
  const Index pixels = shape.size();
  std::complex<double> common = 0;
  for (Index p = 0; p < pixels; ++p)
    common += std::conj(std::complex<double>(maps[pixels + p])) * std::complex<double>(other[pixels + p]);
  common /= std::abs(common);
  double worst = 0;
  for (Index p = 0; p < pixels; ++p) {
    worst = std::max(
        worst, std::abs(std::complex<double>(maps[p] * factor) * common - std::complex<double>(other[p])));
    worst = std::max(worst, std::abs(std::complex<double>(maps[pixels + p]) * common -
                                     std::complex<double>(other[pixels + p])));
  }
  EXPECT_LT(worst, 0.02);
}

// Further channels without signal change neither the channels' principal components nor the maps.
TEST(Espirit, ManyChannelsAreAsFew) {
  Context ctx;
  constexpr Index size = 16, few = 3, many = 96;
  const Shape region{size, size};
  CalibrationRegion small{Array<std::complex<float>>(region.prepend(few)), {16, 16, 1}};
  for (Index c = 0; c < few; ++c)
    for (Index i = 0; i < size * size; ++i) {
      const double y = static_cast<double>(i / size) - 8, x = static_cast<double>(i % size) - 8;
      const double wide = 0.05 + 0.02 * static_cast<double>(c);
      small.kspace[c * size * size + i] = std::complex<float>(
          std::polar(std::exp(-wide * (x * x + y * y)), 0.2 * static_cast<double>(c) * (x - y)));
    }
  CalibrationRegion large{filled<std::complex<float>>(region.prepend(many), 0), small.fov};
  std::copy(small.kspace.begin(), small.kspace.end(), large.kspace.begin());
  // If no eigenvalue is dominant, rounding determines the eigenvector; the lower the threshold, the more.
  const EspiritOptions options{.kernel = 4, .least_threshold = 0.04, .crop = 0.8};
  const auto expected = espirit_maps(small, region, options, ctx);
  const auto found = espirit_maps(large, region, options, ctx);
  double worst = 0;
  for (Index i = 0; i < found.size(); ++i)
    worst =
        std::max(worst, static_cast<double>(std::abs(found[i] - (i < expected.size() ? expected[i] : 0.0F))));
  EXPECT_LT(worst, 1e-3);  // the principal components are in single precision
}

TEST(Espirit, NeedsLittleMoreForAThousandChannels) {
  const Context ctx(Device::cpu(), {.threads = 2});
  EXPECT_LT(espirit_bytes(1000, 24, {24, 24}, {}, ctx), 2 * espirit_bytes(64, 24, {24, 24}, {}, ctx));
}

TEST(Espirit, RefusesWhatCannotWork) {
  Context ctx;
  CalibrationRegion region{filled<Complex>({2, 8, 8}, 0), {64, 64, 0}};
  EXPECT_THROW(espirit_maps(region, {64, 64}, {}, ctx), Error);
  region.kspace[36] = 1;
  EXPECT_THROW(espirit_maps(region, {64, 64}, {.kernel = 9}, ctx), Error);
  EXPECT_THROW(espirit_maps(region, {64, 64}, {.threshold = 0}, ctx), Error);
  EXPECT_THROW(espirit_maps(region, {8, 64, 64}, {}, ctx), Error);
}

TEST(Walsh, FindsTheMapsWhereThereIsSignal) {
  Context ctx;
  for (int dims : {2, 3}) {
    const Shape shape = dims == 2 ? Shape{64, 60} : Shape{18, 26, 24};
    const auto phantom = head(dims, 4);
    const auto radial = radial_2d({.spokes = 110, .samples = 128});
    const auto ball = kooshball_3d(1600, 26);
    const auto& k = dims == 2 ? radial.k : ball.k;
    const auto region =
        calibration_region(k, samples_of(phantom, k, shape, ctx), shape, {.size = dims == 2 ? 24 : 14}, ctx);
    const auto maps =
        walsh_maps(low_resolution_images(region, shape, ctx), {.radius = dims == 2 ? 3 : 1}, ctx);
    expect_unit_or_zero(maps);
    EXPECT_LT(test::map_error(maps, phantom, shape, ctx), 0.15) << dims;
  }
}

TEST(LowResolutionImages, AreTheSmoothedObject) {
  Context ctx;
  // A wide Gaussian is hardly changed by the window.
  const Shape shape{48, 45};
  const Phantom blob(2, {{PhantomPart::Kind::gaussian, {1, 0.5}, {0.05, -0.1, 0}, {0.15, 0.12, 0.1}, 0}},
                     coil_ring(2, 1));
  const auto grid = cartesian_points(shape);
  const auto region =
      calibration_region(grid.k, samples_of(blob, grid.k, shape, ctx), shape, {.size = 32}, ctx);
  const auto images = low_resolution_images(region, shape, ctx);
  const auto object = test::phantom_image(blob, shape, 1, ctx);
  for (Index p = 0; p < shape.size(); ++p)
    ASSERT_NEAR(std::abs(std::complex<double>(images[p]) - object[p]), 0, 0.05) << p;
}

// Rows of pixels of any length, compared with sums in double.
TEST(PhaseSums, AreTheTrigonometricPolynomials) {
  constexpr Index entries = 3, terms = 5, stride = 3 * most_lanes;
  const auto coefficients = test::random_complex<float>({entries, terms}, 1),
             phases = test::random_complex<float>({terms, stride}, 2);
  std::vector<float> real, imag;
  for (const Complex& phase : phases) {
    real.push_back(phase.real());
    imag.push_back(phase.imag());
  }
  for (const Index pixels : {1, 4, 11, 16, 35, 48}) {
    std::vector<float> found(static_cast<std::size_t>(2 * entries * pixels + 1), 7);
    run(larmor::PhaseSums{entries, terms, pixels, reinterpret_cast<const float*>(coefficients.data()),
                          real.data(), imag.data(), stride, found.data()});
    for (Index e = 0; e < entries; ++e)
      for (Index x = 0; x < pixels; ++x) {
        std::complex<double> sum = 0;
        for (Index d = 0; d < terms; ++d)
          sum += std::complex<double>(coefficients[e * terms + d]) *
                 std::complex<double>(phases[d * stride + x]);
        const auto at = static_cast<std::size_t>(2 * e * pixels + x);
        EXPECT_NEAR(found[at], sum.real(), 1e-5) << pixels;
        EXPECT_NEAR(found[at + static_cast<std::size_t>(pixels)], sum.imag(), 1e-5) << pixels;
      }
    EXPECT_EQ(found.back(), 7);
  }
}

TEST(ChannelEigenvectors, HandMadeMatrices) {
  // [[2, i], [−i, 2]]: eigenvalue 3 with (i, 1)/√2; diag(1, 5): 5 with (0, 1); zero: 0.
  HermitianRow row(2, 11);
  row.clear();
  for (Index p = 0; p < 9; ++p) {
    row.real(0, 0)[p] = row.real(1, 1)[p] = 2;
    row.imag(1, 0)[p] = -1;
  }
  row.real(0, 0)[9] = 1;
  row.real(1, 1)[9] = 5;
  std::vector<float> vectors, values;
  dominant_eigenvectors(row, vectors, values);
  const auto at = [&](Index c, Index p) {
    return Complex(vectors[static_cast<std::size_t>(2 * c * 11 + p)],
                   vectors[static_cast<std::size_t>((2 * c + 1) * 11 + p)]);
  };
  for (Index p : {0, 8}) {
    EXPECT_NEAR(values[static_cast<std::size_t>(p)], 3, 1e-5);
    EXPECT_NEAR(std::abs(at(0, p) * std::conj(at(1, p)) - Complex(0, 0.5)), 0, 1e-5);
  }
  EXPECT_NEAR(values[9], 5, 1e-5);
  EXPECT_NEAR(std::abs(at(1, 9)), 1, 1e-5);
  EXPECT_EQ(values[10], 0);
  EXPECT_EQ(at(0, 10), Complex(0));
}

// Several rows are multiplied together: tests also the remainder, and pixels that do not fill a vector.
TEST(ChannelEigenvectors, OfAnyNumberOfChannels) {
  constexpr Index pixels = 37;
  for (const Index channels : {1, 2, 3, 4, 5, 7, 8, 9, 14}) {
    const auto x = test::random_complex<float>({channels, pixels}, 1);
    // 2 v vᴴ + 1/10 for v of unit length.
    std::vector<double> squares(pixels, 0.0);
    for (Index i = 0; i < x.size(); ++i)
      squares[static_cast<std::size_t>(i % pixels)] += std::norm(std::complex<double>(x[i]));
    HermitianRow row(channels, pixels);
    for (Index a = 0; a < channels; ++a)
      for (Index b = 0; b <= a; ++b)
        for (Index p = 0; p < pixels; ++p) {
          const auto entry = 2.0 * std::complex<double>(x[a * pixels + p]) *
                             std::conj(std::complex<double>(x[b * pixels + p])) /
                             squares[static_cast<std::size_t>(p)];
          row.real(a, b)[p] = static_cast<float>(entry.real() + (a == b ? 0.1 : 0.0));
          row.imag(a, b)[p] = static_cast<float>(entry.imag());
        }
    std::vector<float> vectors, values;
    dominant_eigenvectors(row, vectors, values);
    for (Index p = 0; p < pixels; ++p) {
      std::complex<double> overlap = 0;
      for (Index c = 0; c < channels; ++c) {
        const auto at = static_cast<std::size_t>(2 * c * pixels + p);
        overlap += std::conj(std::complex<double>(x[c * pixels + p])) *
                   std::complex<double>(vectors[at], vectors[at + pixels]);
      }
      EXPECT_NEAR(values[static_cast<std::size_t>(p)], 2.1, 1e-5) << channels << " " << p;
      EXPECT_NEAR(std::abs(overlap) / std::sqrt(squares[static_cast<std::size_t>(p)]), 1, 1e-5)
          << channels << " " << p;
    }
  }
}

TEST(CoilMapConventions, WhiteningRoundTrip) {
  Context ctx;
  // Maps of whitened channels, with any scale, are converted back to the true maps in the original channels;
  // whitened again they equal W m.
  const Shape shape{6, 7};
  const auto truth = head(2, 3).maps(shape, ctx);
  auto covariance = identity_matrix(3);
  covariance[1] = {0.2, 0.3};
  covariance[3] = {0.2, -0.3};
  covariance[8] = 4;
  const auto whitening = whitening_matrix(covariance, 2);
  auto white = apply_channel_matrix(whitening, truth, ctx);
  for (Index p = 0; p < shape.size(); ++p)
    for (Index c = 0; c < 3; ++c)
      white[c * shape.size() + p] *= p == 5 ? 0.0F : 0.1F * static_cast<float>(p + 1);
  const auto inverse = matrix_inverse(whitening);
  const auto original = original_channel_maps(white, inverse, ctx);
  const auto back = apply_channel_matrix(whitening, original_channel_maps(white, inverse, ctx), ctx);
  const auto expected = apply_channel_matrix(whitening, truth, ctx);
  for (Index p = 0; p < shape.size(); ++p)
    for (Index c = 0; c < 3; ++c) {
      const Index i = c * shape.size() + p;
      EXPECT_NEAR(std::abs(original[i] - (p == 5 ? Complex(0) : truth[i])), 0, 1e-5);
      EXPECT_NEAR(std::abs(back[i] - (p == 5 ? Complex(0) : expected[i])), 0, 1e-5);
    }
}

}  // namespace
}  // namespace larmor
