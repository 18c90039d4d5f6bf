// Pseudo replicas and point-spread functions, compared with closed forms.
#include <larmor/bench/random_pattern.hpp>
#include <larmor/core/error.hpp>
#include <larmor/mri/density/density_geometry.hpp>
#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/quality/psf.hpp>
#include <larmor/mri/quality/replicas.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace larmor {
namespace {

using C = std::complex<float>;

TEST(UnitNoise, HasUnitVarianceAndIsRepeatable) {
  Context one(Device::cpu(), {.threads = 1}), two(Device::cpu(), {.threads = 2});
  const auto noise = unit_noise({200000}, 7, 3, one);
  std::complex<double> mean = 0, square = 0;
  double energy = 0, fourth = 0;
  for (const C& n : noise) {
    mean += std::complex<double>(n);
    square += std::complex<double>(n) * std::complex<double>(n);
    energy += std::norm(n);
    fourth += std::norm(n) * std::norm(n);
  }
  EXPECT_LT(std::abs(mean) / 200000, 0.01);
  EXPECT_LT(std::abs(square) / 200000, 0.01);
  EXPECT_NEAR(energy / 200000, 1, 0.01);
  EXPECT_NEAR(fourth / 200000, 2, 0.05);
  const auto again = unit_noise({200000}, 7, 3, two), other = unit_noise({200000}, 7, 4, two);
  EXPECT_TRUE(std::equal(noise.begin(), noise.end(), again.begin()));
  EXPECT_FALSE(std::equal(noise.begin(), noise.end(), other.begin()));
}

TEST(RunningVariance, ByHand) {
  RunningVariance statistics({2});
  for (const auto& [a, b] : {std::pair<C, C>({1, 0}, {0, 5}), {{3, 0}, {0, 5}}, {{2, 3}, {0, 5}}}) {
    Array<C> image({2});
    image[0] = a;
    image[1] = b;
    statistics.add(image);
  }
  EXPECT_NEAR(std::abs(statistics.mean()[0] - std::complex<double>(2, 1)), 0, 1e-12);
  // (1 + 1) + (1 + 1) + 4 over 2 · 2.
  EXPECT_NEAR(statistics.deviation()[0], std::sqrt(2.0), 1e-6);
  EXPECT_EQ(statistics.deviation()[1], 0);
}

// Every second line: a pixel aliases onto the one half a field of view away, and the noise of the unfolded
// pair is that of the inverse of SᴴS (Pruessmann et al. 1999, eq. 23).
TEST(GFactor, IsTheClosedFormForTwofoldCartesianSense) {
  Context ctx(Device::cpu(), {.threads = 2});
  const Shape shape{20, 20};
  const Index coils = 6, pixels = shape.size();
  const auto maps = Phantom(2, head_phantom(2), coil_ring(2, coils)).maps(shape, ctx);
  const auto full = cartesian_points(shape).k;
  Array<double> half({pixels / 2, 2});
  for (Index y = 0; y < 10; ++y) std::copy_n(full.data() + 2 * 20 * 2 * y, 40, half.data() + 40 * y);

  const auto model = sense_model<float>(half, maps, {.tolerance = 1e-4}, ctx);
  const auto normal = model.normal(ctx);
  const auto object = filled<C>(shape, 1);
  const auto samples = model.apply(object, ctx);
  const Reconstruct solve = [&](View<const C> noise) {
    auto noisy = clone(noise);
    axpy<float>(1, samples, noisy.view(), ctx);
    return conjugate_gradient<float>({normal, model.adjoint(noisy, ctx)},
                                     {.iterations = 60, .tolerance = 1e-3}, ctx)
        .x;
  };
  const auto statistics = pseudo_replicas(samples.shape(), solve, {.replicas = 400, .seed = 5}, ctx);
  const auto g = g_factor(statistics.deviation(), cartesian_deviation(maps), 2);

  std::vector<double> ratio;
  for (Index p = 0; p < pixels; ++p) {
    const Index folded = (p / 20 + 10) % 20 * 20 + p % 20;
    double own = 0, other = 0;
    std::complex<double> cross = 0;
    for (Index c = 0; c < coils; ++c) {
      const std::complex<double> a = maps[c * pixels + p], b = maps[c * pixels + folded];
      own += std::norm(a);
      other += std::norm(b);
      cross += std::conj(a) * b;
    }
    const double closed = std::sqrt(own * other / (own * other - std::norm(cross)));
    ratio.push_back(static_cast<double>(g[p]) / closed);
    EXPECT_NEAR(ratio.back(), 1, 0.2);
    EXPECT_NEAR(std::abs(statistics.mean()[p] - std::complex<double>(1)), 0, 0.5);
  }
  std::nth_element(ratio.begin(), ratio.begin() + ratio.size() / 2, ratio.end());
  EXPECT_NEAR(ratio[ratio.size() / 2], 1, 0.03);
}

TEST(PseudoReplicas, RefuseASingleOne) {
  Context ctx;
  const auto samples = filled<C>({1, 4}, 1);
  const Reconstruct copy = [](View<const C> y) { return clone(y); };
  EXPECT_THROW(pseudo_replicas(samples.shape(), copy, {.replicas = 1}, ctx), Error);
  // Noise only: standard deviation 1/√2, SNR √2.
  const auto statistics = pseudo_replicas(samples.shape(), copy, {.replicas = 4000}, ctx);
  for (float snr : signal_to_noise(samples.view().reshaped({4}), statistics.deviation().view().reshaped({4})))
    EXPECT_NEAR(snr, std::sqrt(2.0), 0.08);
}

TEST(PointSpread, OfTheCartesianGridIsAPoint) {
  Context ctx;
  const Shape shape{24, 32};
  const auto psf = point_spread(cartesian_points(shape).k, {}, shape, 1e-4, ctx);
  EXPECT_NEAR(std::abs(psf.image[12 * 32 + 16]), 1, 1e-4);
  EXPECT_LT(psf.side_lobe, 1e-3);
  EXPECT_NEAR(psf.efficiency, 1, 1e-12);
  // |sin(πx) / (N sin(πx / N))| = 1/2 near x = 0.6034.
  EXPECT_NEAR(psf.fwhm[0], 1.207, 0.003);
  EXPECT_NEAR(psf.fwhm[1], 1.207, 0.003);
}

TEST(PointSpread, OfEverySecondLineHasAnAlias) {
  Context ctx;
  const Shape shape{24, 32};
  const auto full = cartesian_points(shape).k;
  Array<double> half({12 * 32, 2});
  for (Index y = 0; y < 12; ++y) std::copy_n(full.data() + 64 * 2 * y, 64, half.data() + 64 * y);
  const auto psf = point_spread(half, {}, shape, 1e-4, ctx);
  EXPECT_NEAR(psf.side_lobe, 1, 1e-3);
  EXPECT_EQ(psf.at[0], 0);
  EXPECT_EQ(std::abs(psf.at[1]), 12);
  EXPECT_NEAR(psf.side_lobe_energy, 0.5, 1e-3);
}

// A disc of k-space: 2 J₁(πx)/(πx), half its peak at x = 0.7048; −0.099 on the diagonal, at x = √2.
TEST(PointSpread, OfADensityWeightedRadialScanIsThatOfADisc) {
  Context ctx;
  const Shape shape{64, 64};
  const auto radial = radial_2d({.spokes = 201, .samples = 128, .order = SpokeOrder::uniform});
  const auto density = radial_density(radial.k, 128, shape, ctx);
  const auto psf = point_spread(radial.k, density, shape, 1e-4, ctx);
  EXPECT_NEAR(psf.fwhm[0], 1.41, 0.01);
  EXPECT_NEAR(psf.fwhm[1], 1.41, 0.01);
  EXPECT_NEAR(psf.side_lobe, 0.099, 0.004);
  // Weights proportional to |r|: √3 / 2.
  EXPECT_NEAR(psf.efficiency, std::sqrt(3.0) / 2, 0.01);
  EXPECT_THROW(point_spread(radial.k, filled({201 * 128}, 0.0), shape, 1e-4, ctx), Error);
}

TEST(PointSpread, OfAPatternIsThatOfItsSamples) {
  Context ctx(Device::cpu(), {.threads = 2});
  for (const Shape& shape : {Shape{32, 30}, Shape{21, 27}}) {
    auto pattern = random_pattern({.rows = shape[0], .columns = shape[1], .density = 0.4});
    const auto all = cartesian_points(shape).k;
    Array<double> k({pattern.entries(), 2});
    for (Index i = 0; i < pattern.entries(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Index point = pattern.row[at] * shape[1] + pattern.column[at];
      k[2 * i] = all[2 * point];
      k[2 * i + 1] = all[2 * point + 1];
    }
    const auto expected = point_spread(k, {}, shape, 1e-6, ctx);
    pattern.row.push_back(pattern.row[0]);  // listed twice, counts once
    pattern.column.push_back(pattern.column[0]);
    const auto psf = point_spread(pattern, true, ctx);
    ASSERT_EQ(psf.image.shape(), shape);
    for (Index p = 0; p < shape.size(); ++p)
      EXPECT_NEAR(std::abs(psf.image[p] - expected.image[p]), 0, 1e-5) << p;
    for (const std::size_t axis : {0, 1}) EXPECT_NEAR(psf.fwhm[axis], expected.fwhm[axis], 1e-9);
    EXPECT_NEAR(psf.side_lobe, expected.side_lobe, 1e-5);
    EXPECT_NEAR(psf.side_lobe_energy, expected.side_lobe_energy, 1e-5);
    EXPECT_EQ(psf.efficiency, expected.efficiency);
    EXPECT_EQ(point_spread(pattern, false, ctx).image.size(), 0);
  }
  EXPECT_THROW(point_spread(SparsePattern{4, 4, {}, {}}, false, ctx), Error);
}

TEST(CartesianSampling, TakesLinesOfImagesAndEncodingsOfVolumes) {
  Scan scan;
  scan.source = "scan";
  scan.encodings.emplace_back();
  scan.encodings[0].trajectory = "cartesian";
  scan.encodings[0].encoded_matrix = {3, 4, 1};
  const auto add = [&](std::uint16_t y, std::uint16_t z) {
    scan.readouts.emplace_back();
    scan.readouts.back().header.encode_step_1 = y;
    scan.readouts.back().header.encode_step_2 = z;
  };
  add(2, 0), add(0, 1), add(2, 0), add(1, 0);
  scan.readouts.back().header.set(AcquisitionFlag::noise);
  const auto lines = cartesian_sampling(scan);
  EXPECT_EQ(lines.rows, 4);
  EXPECT_EQ(lines.columns, 3);
  EXPECT_EQ(lines.row, (std::vector<std::uint32_t>{2, 2, 2, 0, 0, 0}));
  EXPECT_EQ(lines.column, (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2}));
  scan.encodings[0].encoded_matrix = {3, 4, 5};
  const auto encodings = cartesian_sampling(scan);
  EXPECT_EQ(encodings.rows, 5);
  EXPECT_EQ(encodings.columns, 4);
  EXPECT_EQ(encodings.row, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(encodings.column, (std::vector<std::uint32_t>{2, 0}));
  scan.encodings[0].encoded_matrix = {3, 2, 5};
  EXPECT_THROW(cartesian_sampling(scan), Error);
  scan.encodings[0].trajectory = "radial";
  EXPECT_THROW(cartesian_sampling(scan), Error);
}

}  // namespace
}  // namespace larmor
