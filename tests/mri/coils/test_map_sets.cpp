#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/coils/calibration.hpp>
#include <larmor/mri/coils/espirit.hpp>
#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/operators/fft.hpp>

#include "mri/small_sense.hpp"
#include "peak_memory.hpp"
#include "random_arrays.hpp"

#include <gmock/gmock.h>

// Several coil map sets: ESPIRiT's further eigenvectors, and images for each set (soft SENSE).

namespace larmor {
namespace {

using namespace test::small_sense;
using test::add_spokes;
using test::error_of;
using testing::HasSubstr;
using Complex = std::complex<float>;

constexpr Index size = 40, coils = 6;

// Coil images of an object 1.5 times as long as the field of view along y, so that its ends fold over each
// other: [coils, y, x].
Maps folded_images() {
  Maps images = filled(Shape{coils, size, size}, Complex(0));
  for (Index c = 0; c < coils; ++c)
    for (Index y = -size / 4; y < size + size / 4; ++y)
      for (Index x = 0; x < size; ++x) {
        const double u = (static_cast<double>(x) - size / 2) / size,
                     v = (static_cast<double>(y) - size / 2) / size;
        const double radius = std::pow(u / 0.32, 4) + std::pow(v / 0.62, 4);
        const double object = 1 / (1 + std::exp(12 * (radius - 1)));
        const double angle = 2 * std::numbers::pi * static_cast<double>(c) / coils;
        const double du = u - 0.6 * std::cos(angle), dv = v - 0.9 * std::sin(angle);
        const auto value =
            std::polar(object * std::exp(-1.5 * (du * du + dv * dv)), 2 * u * std::cos(angle) + angle);
        images[(c * size + (y + size) % size) * size + x] += Complex(value);
      }
  return images;
}

CalibrationRegion region_of(const Maps& images, Index points, Context& ctx) {
  CalibrationRegion region;
  region.kspace = Maps({coils, points, points});
  region.fov = {static_cast<double>(size), static_cast<double>(size), 0};
  const auto kspace = Fft<float>(images.shape(), 2).apply(images, ctx);
  for (Index i = 0; i < region.kspace.size(); ++i) {
    const Index x = i % points - points / 2 + size / 2, y = i / points % points - points / 2 + size / 2;
    region.kspace[i] = kspace[(i / (points * points) * size + y) * size + x];
  }
  return region;
}

// ‖(1 − Σ_s m_s m_sᴴ) images‖ / ‖images‖
double unexplained(View<const Complex> maps, const Maps& images) {
  const Index pixels = size * size, sets = maps.size() / images.size();
  double rest = 0, all = 0;
  for (Index p = 0; p < pixels; ++p) {
    for (Index c = 0; c < coils; ++c) {
      std::complex<double> value(images[c * pixels + p]);
      all += std::norm(value);
      for (Index s = 0; s < sets; ++s) {
        const Complex* m = maps.data() + s * coils * pixels + p;
        std::complex<double> seen = 0;
        for (Index d = 0; d < coils; ++d)
          seen +=
              std::conj(std::complex<double>(m[d * pixels])) * std::complex<double>(images[d * pixels + p]);
        value -= std::complex<double>(m[c * pixels]) * seen;
      }
      rest += std::norm(value);
    }
  }
  return std::sqrt(rest / all);
}

TEST(EspiritSets, ASecondSetExplainsAnObjectThatFoldsOver) {
  Context ctx;
  const auto images = folded_images();
  const auto region = region_of(images, 24, ctx);
  const auto one = espirit_maps(region, {size, size}, {}, ctx);
  EspiritOptions options;
  options.sets = 2;
  const auto two = espirit_maps(region, {size, size}, options, ctx);
  ASSERT_EQ(two.shape(), (Shape{2, coils, size, size}));
  EXPECT_EQ(test::relative_difference(two.view().slice(0), one), 0);
  EXPECT_GT(unexplained(one, images), 0.04);
  EXPECT_LT(unexplained(two, images), 0.03);
  // Sets are orthogonal in every pixel, as far as power iterations separate close eigenvalues.
  const Index pixels = size * size;
  for (Index p = 0; p < pixels; ++p) {
    std::complex<double> overlap = 0;
    for (Index c = 0; c < coils; ++c)
      overlap += std::conj(std::complex<double>(two[c * pixels + p])) *
                 std::complex<double>(two[(coils + c) * pixels + p]);
    ASSERT_LT(std::abs(overlap), 5e-2) << p;
  }
  options.sets = coils + 1;
  EXPECT_THROW(espirit_maps(region, {size, size}, options, ctx), Error);
}

TEST(EspiritSets, MemoryIsThatOfTheMapsWhateverTheVolume) {
  Context ctx({}, {.threads = 1});
  const Shape volume{40, 48, 44};
  CalibrationRegion region;
  region.kspace = test::random_complex<float>({4, 8, 8, 8}, 3);
  region.fov = {40, 48, 44};
  const test::PeakMemory peak;
  const auto maps = espirit_maps(region, volume, {}, ctx);
  // The calibration matrices of all pixels would take four times the memory of the maps.
  EXPECT_LE(peak.bytes(), maps.view().bytes() + (1 << 20));
}

// Two images, each with its own maps: [sets, coils, y, x].
Maps two_map_sets() {
  Maps maps({2, 4, n, n});
  const auto first = coil_maps(4);
  std::copy(first.begin(), first.end(), maps.begin());
  for (Index c = 0; c < 4; ++c)  // the second set as seen from the opposite side
    for (Index p = 0; p < n * n; ++p)
      maps[((4 + c) * n * n) + p] = first[((c + 2) % 4) * n * n + (n * n - 1 - p)] * Complex(c % 2 ? -1 : 1);
  return maps;
}

Scan two_set_scan(Context& ctx) {
  const auto maps = two_map_sets();
  auto images = coil_images(clone(maps.view().slice(0)), object(), ctx);
  auto other = object();
  for (auto& value : other) value *= Complex(0, 0.5F);
  axpy<float>(1, coil_images(clone(maps.view().slice(1)), other, ctx), images.view(), ctx);
  Scan scan = test::empty_scan({n, n, 1}, {n, n, 5});
  add_spokes(scan, images, 2 * spokes, ctx);
  return scan;
}

TEST(SoftSense, FindsAnImageForEachSet) {
  Context ctx;
  const auto maps = two_map_sets();
  ReconstructOptions options{
      .coils = {.maps = maps, .sets = 2}, .transform = {.tolerance = 1e-6}, .solve = {.iterations = 200}};
  for (const Solver solver : {Solver::cg, Solver::lsmr, Solver::fista}) {
    options.solve.solver = solver;
    const auto result = reconstruct(two_set_scan(ctx), options, ctx);
    ASSERT_EQ(result.series.images.size(), 2U);
    auto other = object();
    for (auto& value : other) value *= Complex(0, 0.5F);
    EXPECT_LT(difference(result.series.images[0].pixels, object()), 2e-2) << to_string(solver);
    EXPECT_LT(difference(result.series.images[1].pixels, other), 4e-2) << to_string(solver);
    EXPECT_EQ(result.series.images[1].counters.set, 1);
    EXPECT_EQ(result.report.transform.toeplitz, solver != Solver::lsmr);
  }
  // One set cannot explain the data.
  options.solve.solver = Solver::automatic;
  options.coils.sets = 1;
  const auto first = clone(maps.view().slice(0));
  options.coils.maps = first;
  const auto one = reconstruct(two_set_scan(ctx), options, ctx);
  EXPECT_GT(difference(one.series.images[0].pixels, object()), 0.08);
}

TEST(SoftSense, TheModelIsTheSumOverSetsAndItsNormalHasToeplitz) {
  Context ctx;
  const auto maps = two_map_sets();
  const auto k = test::random_real({50, 2}, -0.5, 0.5, 4);
  const Nufft<float> nufft(k, {n, n}, {.tolerance = 1e-5, .batch = 4}, ctx);
  const std::vector<CoilMaps<float>> sets = {CoilMaps<float>(maps.view().slice(0)),
                                             CoilMaps<float>(maps.view().slice(1))};
  const auto A = sense_model<float>(nufft, sets);
  EXPECT_EQ(A.domain(), (Shape{2, n, n}));
  const auto x = test::random_complex<float>({2, n, n}, 5);
  auto sum = sense_model<float>(nufft, sets[0]).apply(x.view().slice(0), ctx);
  axpy<float>(1, sense_model<float>(nufft, sets[1]).apply(x.view().slice(1), ctx), sum.view(), ctx);
  EXPECT_LT(test::relative_difference(A.apply(x, ctx), sum), 1e-6);
  const auto normal = A.normal({.toeplitz = NormalOptions::Toeplitz::on}, ctx);
  const std::string tree = describe(normal);
  EXPECT_THAT(tree, HasSubstr("Toeplitz"));
  EXPECT_THAT(tree, testing::Not(HasSubstr("Nufft")));
  EXPECT_LT(test::relative_difference(normal.apply(x, ctx), A.adjoint(A.apply(x, ctx), ctx)), 1e-4);
}

TEST(SoftSense, RefusesWhatDoesNotGoTogether) {
  Context ctx;
  const auto maps = two_map_sets();
  const auto refusal = [&](const auto& change) {
    ReconstructOptions options{.coils = {.maps = maps, .sets = 2}};
    change(options);
    return error_of([&] { reconstruct(two_set_scan(ctx), options, ctx); });
  };
  EXPECT_THAT(refusal([](auto& o) { o.coils.sets = 5; }), HasSubstr("5 map sets, expected 1 to 4"));
  EXPECT_THAT(refusal([](auto& o) { o.coils.sets = 3; }), HasSubstr("have 2 sets, but 3"));
  EXPECT_THAT(refusal([](auto& o) { o.coils.sets = 1; }),
              HasSubstr("if these are 2 sets, give sets 2, or maps of one set (bart ecalib -m 1)"));
  EXPECT_THAT(refusal([](auto& o) { o.coils.combine = Combine::rss; }), HasSubstr("combining by rss"));
  EXPECT_THAT(refusal([](auto& o) { o.output.replicas = 10; }), HasSubstr("without replicas"));
  EXPECT_THAT(refusal([](auto& o) { o.solve.gridding = true; }), HasSubstr("gridding"));
  EXPECT_THAT(refusal([](auto& o) { o.solve.regularizers = {parse_regularizer("ttv:1")}; }),
              HasSubstr("ttv:1"));
  EXPECT_THAT(refusal([](auto& o) {
                o.coils.maps = {};
                o.coils.calibration = Calibration::walsh;
              }),
              HasSubstr("not from walsh"));
}

}  // namespace
}  // namespace larmor
