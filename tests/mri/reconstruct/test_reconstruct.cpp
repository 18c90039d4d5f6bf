#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/reconstruct/estimated_maps.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/steps/memory.hpp>
#include <larmor/mri/reconstruct/steps/weigh.hpp>
#include <larmor/mri/reconstruct/steps/write_back.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/regularizers/l2.hpp>

#include "mri/small_sense.hpp"
#include "peak_memory.hpp"

#include <gmock/gmock.h>

#include <atomic>

namespace larmor {
namespace {

using test::add_spokes;
using test::empty_scan;
using test::error_of;
using testing::HasSubstr;
using testing::StartsWith;
using namespace test::small_sense;

TEST(Reconstruct, RecoversTheImageInTheUnitsOfThePlainSum) {
  Context ctx;
  const auto maps = coil_maps(3);
  ReconstructOptions options{
      .coils = {.maps = maps}, .transform = {.tolerance = 1e-5}, .solve = {.iterations = 60}};
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    options.solve.precision = precision;
    const auto result = reconstruct(sense_scan(3, ctx), options, ctx);
    ASSERT_EQ(result.series.images.size(), 1U);
    EXPECT_EQ(result.series.images[0].pixels.shape(), (Shape{1, n, n}));
    EXPECT_LT(difference(result.series.images[0].pixels, object()), 2e-3);
    EXPECT_TRUE(result.report.transform.toeplitz);
    EXPECT_EQ(result.report.calibration, "given");
    EXPECT_EQ(result.report.density, "none");
    EXPECT_LT(result.report.transform.error_measured, 1e-5);
    EXPECT_EQ(result.report.images[0].stop_reason, StopReason::iterations);
  }
}

TEST(Reconstruct, ImagesAreWrittenBackOnlyIntoASeriesThatHasThem) {
  Context ctx;
  const auto maps = coil_maps(3);
  const ReconstructOptions options{.coils = {.maps = maps}};
  const Selection selection = select_scan(sense_scan(3, ctx), options, ctx);
  const ProblemList list = plan_problems(selection.plan, 3, options);
  const PlannedProblem& problem = list.problems.at(0);
  const Array<std::complex<float>> x(problem.unknown), other(problem.unknown.prepend(2));
  ImageSeries series;
  EXPECT_THAT(error_of([&] { write_back<float>(x, problem, selection.plan, options, series, ctx); }),
              HasSubstr("the series has 0 images, and the problem's are 0 to 0: first resize it"));
  series.images.resize(list.images);
  write_back<float>(x, problem, selection.plan, options, series, ctx);
  EXPECT_EQ(series.images[0].pixels.shape(), (Shape{1, n, n}));
  EXPECT_THAT(error_of([&] { write_back<float>(other, problem, selection.plan, options, series, ctx); }),
              HasSubstr("a solution of shape " + other.shape().to_string()));
}

TEST(Reconstruct, TikhonovMinimiserMatchesTheExactTransform) {
  Context ctx;
  const auto maps = coil_maps(2);
  const Scan scan = sense_scan(2, ctx);
  ReconstructOptions options{.coils = {.maps = maps},
                             .transform = {.tolerance = 1e-5},
                             .solve = {.regularizers = {parse_regularizer("l2:1e-2")}, .iterations = 100}};
  const auto result = reconstruct(scan, options, ctx);

  const auto plan = plan_scan(scan, {});
  const auto data = load_image(scan, plan, plan_channels(scan, plan, ctx), 0, ctx);
  const auto A = Nudft<double>(data.trajectory, {n, n}, 2) *
                 CoilMaps<double>(converted<std::complex<double>>(maps.view()));
  const auto exact =
      conjugate_gradient<double>(A, converted<std::complex<double>>(data.samples.view()), {l2<double>(1e-2)},
                                 {.iterations = 400, .tolerance = 1e-12}, ctx);
  auto expected = converted<std::complex<float>>(exact.x.view());
  for (auto& value : expected) value /= static_cast<float>(n);  // √N, the operator's scaling
  EXPECT_LT(difference(result.series.images[0].pixels, expected), 1e-4);
  const auto& report = result.report.images[0];
  EXPECT_NEAR(report.operator_norm_squared, exact.operator_norm_squared, 1e-3 * exact.operator_norm_squared);
  EXPECT_DOUBLE_EQ(result.report.solution.regularizers.at(0).lambda, 1e-2);
}

TEST(Reconstruct, GivenMapsAreWhitenedLikeTheData) {
  Context ctx;
  Scan scan = sense_scan(3, ctx);
  // Correlated noise with very different levels: wrong maps would shade the image.
  const auto white = test::random_complex({3, 2000}, 11);
  std::vector<std::complex<float>> noise(3 * 2000);
  for (std::size_t j = 0; j < 2000; ++j) {
    noise[j] = white[static_cast<Index>(j)];
    noise[2000 + j] = 3.0F * white[static_cast<Index>(2000 + j)] + std::complex<float>(0, 2) * noise[j];
    noise[4000 + j] = 0.3F * white[static_cast<Index>(4000 + j)] - 0.2F * noise[j];
  }
  test::add_readout(scan, {}, 0, 3, noise, 2000).set(AcquisitionFlag::noise);
  const auto maps = coil_maps(3);
  ReconstructOptions options{
      .coils = {.maps = maps}, .transform = {.tolerance = 1e-5}, .solve = {.iterations = 100}};
  const auto result = reconstruct(scan, options, ctx);
  EXPECT_TRUE(result.selection.channels.whitened);
  EXPECT_LT(difference(result.series.images[0].pixels, object()), 1e-2);
  // Compression to the same number of coils only rotates the channels.
  options.prepare.virtual_coils = 3;
  EXPECT_LT(
      difference(reconstruct(scan, options, ctx).series.images[0].pixels, result.series.images[0].pixels),
      1e-2);
}

TEST(Reconstruct, RootSumOfSquaresIsInTheUnitsOfTheChannels) {
  Context ctx;
  Scan scan = sense_scan(3, ctx);
  const auto noise = test::random_complex({3, 500}, 12);
  test::add_readout(scan, {}, 0, 3, {noise.begin(), noise.end()}, 500).set(AcquisitionFlag::noise);
  ReconstructOptions options{
      .coils = {.combine = Combine::none}, .transform = {.tolerance = 1e-5}, .solve = {.iterations = 60}};
  const auto coils = reconstruct(scan, options, ctx);
  EXPECT_FALSE(coils.selection.channels.whitened);
  EXPECT_EQ(coils.report.density, "pipe");
  EXPECT_EQ(coils.series.images[0].pixels.shape(), (Shape{3, 1, n, n}));
  EXPECT_LT(difference(coils.series.images[0].pixels, coil_images(coil_maps(3), object(), ctx)), 2e-3);
  options.coils.combine = Combine::rss;
  const auto combined = reconstruct(scan, options, ctx);
  EXPECT_EQ(combined.series.images[0].pixels.shape(), (Shape{1, n, n}));
  for (Index p = 0; p < n * n; ++p) {
    double sum = 0;
    for (Index c = 0; c < 3; ++c) sum += std::norm(coils.series.images[0].pixels[c * n * n + p]);
    EXPECT_NEAR(combined.series.images[0].pixels[p].real(), std::sqrt(sum), 1e-4);
  }
}

/// A Cartesian scan, sampled once: gridding with weights 1 inverts it exactly.
Scan cartesian_scan(Index coils, Context& ctx) {
  Scan scan = empty_scan({n, n, 1}, {n, n, 5}, "cartesian");
  const auto images = coil_images(coil_maps(coils), object(), ctx);
  for (Index line = 0; line < n; ++line) {
    std::vector<float> k;
    for (Index j = 0; j < n; ++j) {
      k.push_back(static_cast<float>(static_cast<double>(j - n / 2) / n));
      k.push_back(static_cast<float>(static_cast<double>(line - n / 2) / n));
    }
    const std::vector<double> exact(k.begin(), k.end());
    const Nudft<float> nudft(View<const double>(exact.data(), {n, 2}), {n, n}, coils, {}, false);
    const auto y = nudft.apply(images, ctx);
    test::add_readout(scan, k, 2, coils, {y.begin(), y.end()});
  }
  return scan;
}

TEST(Gridding, WithQuadratureWeightsInvertsACartesianScan) {
  Context ctx;
  const auto maps = coil_maps(2);
  const std::vector<double> ones(n * n, 1.0);
  ReconstructOptions options{
      .coils = {.maps = maps}, .transform = {.tolerance = 1e-5}, .solve = {.gridding = true}};
  options.prepare.weights = SharedArray<double>::borrowed(View<const double>(ones.data(), {n * n}));
  auto result = reconstruct(cartesian_scan(2, ctx), options, ctx);
  EXPECT_LT(difference(result.series.images[0].pixels, object()), 1e-4);
  EXPECT_EQ(result.report.density, "given");
  EXPECT_TRUE(result.report.images[0].history.empty());
  // Pipe-Menon weights of a full grid are 1.
  options.prepare.weights = {};
  result = reconstruct(cartesian_scan(2, ctx), options, ctx);
  EXPECT_EQ(result.report.density, "pipe");
  EXPECT_LT(difference(result.series.images[0].pixels, object()), 2e-2);
}

TEST(Gridding, WeightsOfTheFileAreScaledToAQuadrature) {
  Context ctx;
  Scan scan = cartesian_scan(1, ctx);
  std::vector<float> with_weight;
  for (std::size_t j = 0; j < scan.trajectory.size(); j += 2)
    for (const float value : {scan.trajectory[j], scan.trajectory[j + 1], j % 4 == 0 ? 7.001F : 7.0F})
      with_weight.push_back(value);
  scan.trajectory.assign(with_weight.begin(), with_weight.end());
  for (std::size_t r = 0; r < scan.readouts.size(); ++r) {
    scan.readouts[r].trajectory_offset = r * static_cast<std::size_t>(3 * n);
    scan.readouts[r].header.trajectory_dimensions = 3;
  }
  ReconstructOptions options{.transform = {.tolerance = 1e-5}, .solve = {.gridding = true}};
  const auto result = reconstruct(scan, options, ctx);
  EXPECT_EQ(result.report.density, "file");
  const auto one_coil = coil_images(coil_maps(1), object(), ctx);
  EXPECT_LT(difference(result.series.images[0].pixels, one_coil), 1e-3);
}

TEST(Reconstruct, ImagesOfASeriesShareOneScale) {
  Context ctx;
  Scan scan = empty_scan({n, n, 1}, {n, n, 5});
  const auto maps = coil_maps(2);
  auto images = coil_images(maps, object(), ctx);
  // Slices in the order 0, 2, 1; the second repetition is twice as bright, with rotated spokes.
  for (std::uint16_t repetition = 0; repetition < 2; ++repetition) {
    for (const std::uint16_t slice : {0, 2, 1}) {
      add_spokes(scan, images, spokes, ctx, {.slice = slice, .repetition = repetition}, 0.05 * repetition);
      for (auto& readout : scan.readouts)
        if (readout.header.counters.slice == slice) readout.header.position = {0, 0, 10.0F * slice};
    }
    for (auto& value : images) value *= 2.0F;
  }
  ReconstructOptions options{.coils = {.maps = maps},
                             .solve = {.regularizers = {parse_regularizer("l2:1e-3")}, .iterations = 40}};
  const auto result = reconstruct(std::move(scan), options, ctx);
  ASSERT_EQ(result.series.images.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& image = result.series.images[i];
    EXPECT_EQ(image.counters.slice, i / 2);
    EXPECT_EQ(image.counters.repetition, i % 2);
    EXPECT_EQ(image.geometry.position[2], 10.0 * static_cast<double>(i / 2));
    auto expected = object();
    for (auto& value : expected) value *= static_cast<float>(1 + i % 2);
    EXPECT_LT(difference(image.pixels, expected), 2e-2) << i;
    EXPECT_EQ(result.report.images[i].trajectory_id, i % 2);
    EXPECT_GT(result.report.images[i].operator_norm_squared, 0);
  }
}

TEST(Reconstruct, LargerSolveFieldOfViewIsCropped) {
  Context ctx;
  // The requested image is the central half of the encoded field of view; a part of the object is outside.
  Maps large = filled(Shape{1, 2 * n, 2 * n}, std::complex<float>(0));
  const auto small = object();
  for (Index y = 0; y < n; ++y)
    for (Index x = 0; x < n; ++x) large[(y + n / 2) * 2 * n + x + n / 2] = small[y * n + x];
  large[n / 4 * 2 * n + n] = 0.2F;
  Scan scan = empty_scan({2 * n, 2 * n, 1}, {2 * n, 2 * n, 5});
  scan.encodings[0].recon_matrix = {n, n, 1};
  scan.encodings[0].recon_fov_mm = {n, n, 5};
  add_spokes(scan, large, 2 * spokes, ctx);
  ReconstructOptions options{.transform = {.tolerance = 1e-5}, .solve = {.iterations = 60}};
  const auto result = reconstruct(scan, options, ctx);
  EXPECT_EQ(result.selection.plan.grids.solve_shape(), (Shape{2 * n, 2 * n}));
  EXPECT_LT(difference(result.series.images[0].pixels, small), 1e-2);
}

TEST(EstimateMaps, OneSetForEverySlice) {
  Context ctx;
  SimulationOptions simulation{.matrix = {24, 24, 1}, .coils = 3};
  auto scan = simulate_scan(simulation, ctx).scan;
  const auto readouts = scan.readouts.size();
  for (std::size_t i = 0; i < readouts; ++i) {
    scan.readouts.push_back(scan.readouts[i]);
    scan.readouts.back().header.counters.slice = 4;
  }
  ReconstructOptions options{.coils = {.calibration = Calibration::walsh}, .solve = {.iterations = 5}};
  const auto maps = estimate_maps(scan, options, ctx).maps;
  EXPECT_EQ(maps.shape().rank(), 4);
  EXPECT_EQ(maps.shape()[0], 2);
  EXPECT_EQ(difference(maps.view().slice(0), maps.view().slice(1)), 0);
  const auto direct = reconstruct(scan, options, ctx);
  EXPECT_EQ(direct.report.calibration, "walsh");
  options.coils.maps = maps;
  const auto given = reconstruct(scan, options, ctx);
  EXPECT_LT(difference(given.series.images[1].pixels, direct.series.images[1].pixels), 1e-5);
}

TEST(Reconstruct, MistakesAreNamed) {
  Context ctx;
  const Scan scan = sense_scan(3, ctx);
  const auto run = [&](const ReconstructOptions& options) {
    return error_of([&] { reconstruct(scan, options, ctx); });
  };
  ReconstructOptions options;
  options.coils.calibration = Calibration::none;
  EXPECT_THAT(run(options), testing::AllOf(StartsWith("2: without calibration"), HasSubstr("give maps")));
  options = {};
  const auto wrong_coils = coil_maps(2), wrong_pixels = coil_maps(3, {n, n + 1});
  options.coils.maps = wrong_coils;
  EXPECT_THAT(run(options), testing::AllOf(HasSubstr("coil maps"), HasSubstr("3 channels")));
  options.coils.maps = wrong_pixels;
  EXPECT_THAT(run(options), HasSubstr("coil maps have [12, 13] pixels"));
  options.coils.maps = View<const std::complex<float>>(wrong_coils.data(), {2 * n * n});
  EXPECT_THAT(run(options), HasSubstr("coil maps have shape"));
  auto not_finite = coil_maps(3);
  not_finite[5] = NAN;
  options.coils.maps = not_finite;
  EXPECT_THAT(run(options), HasSubstr("coil maps: nan at [0, 0, 5]"));
  options = {};
  options.density = DensityKind::given;
  EXPECT_THAT(run(options), StartsWith("2: density weights"));
}

TEST(Reconstruct, NotEnoughMemoryIsSaidBeforeAllocating) {
  Context ctx(Device::cpu(), {.memory_limit = std::size_t{1} << 30});
  Scan scan = empty_scan({65535, 65535, 1}, {100, 100, 5});
  test::add_readout(scan, {0.5F, 0, 0, 0.5F}, 2);
  const test::PeakMemory peak;
  const std::string error = error_of([&] { reconstruct(scan, {}, ctx); });
  EXPECT_THAT(error, testing::AllOf(HasSubstr("not enough memory"), HasSubstr("missing")));
  // The largest volume that a header can describe does not overflow the sum.
  Scan volume = empty_scan({65535, 65535, 65535}, {100, 100, 100});
  test::add_readout(volume, {0.5F, 0, 0, 0, 0.5F, 0.5F}, 3, 32);
  ReconstructOptions options;
  options.coils.combine = Combine::rss;
  EXPECT_THAT(error_of([&] { reconstruct(volume, options, ctx); }), HasSubstr("not enough memory"));
  EXPECT_LT(peak.bytes(), std::size_t{10} << 20);
}

TEST(Reconstruct, StopsWhenCancelled) {
  std::atomic<bool> cancel{true};
  Context ctx;
  const Scan scan = sense_scan(1, ctx);
  Context cancelled(Device::cpu(), {.cancel = &cancel});
  EXPECT_EQ(error_of([&] { reconstruct(scan, {}, cancelled); }), "130: interrupted");
}

}  // namespace
}  // namespace larmor
