// Series, subspaces and field maps from a scan to images, as `recon run` does it.
#include "mri/exact_samples.hpp"
#include "mri/phantom_image.hpp"
#include "mri/synthetic_scan.hpp"
#include "random_arrays.hpp"

#include <larmor/mri/model/subspace.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <gmock/gmock.h>

#include <algorithm>

namespace larmor::test {
namespace {

using C = std::complex<float>;
using D = std::complex<double>;
using testing::HasSubstr;

constexpr Index n = 24, coils = 3;
const Shape pixels{n, n};

Context two_threads() {
  return Context(Device::cpu(), {.threads = 2});
}

/// A disc with constant signal and one whose signal changes.
std::vector<Tissue> tissues(const std::function<D(double)>& course) {
  const auto ring = coil_ring(2, coils);
  PhantomPart body, spot;
  body.radii = {0.36, 0.4, 0.4};
  body.intensity = 0.6;
  spot.centre = {0.08, -0.06, 0};
  spot.radii = {0.14, 0.1, 0.1};
  std::vector<Tissue> result;
  result.push_back({Phantom(2, {body}, ring), [](double) { return D(1); }});
  result.push_back({Phantom(2, {spot}, ring), course});
  return result;
}

Array<C> true_maps(Context& ctx) {
  return Phantom(2, {}, coil_ring(2, coils)).maps(pixels, ctx);
}

/// One readout per second, golden angles; `images`: number of repetitions of equal length.
Scan scan_over_time(const std::vector<Tissue>& object, Index spokes, Context& ctx, Index images = 1) {
  Scan scan = empty_scan({n, n, 1}, {n, n, 5});
  for (Index s = 0; s < spokes; ++s) {
    const auto k = spoke(std::numbers::pi * 0.618034 * static_cast<double>(s), 2 * n);
    const std::vector<double> exact(k.begin(), k.end());
    const auto y = converted<C>(tissue_samples(object, pixels, View<const double>(exact.data(), {2 * n, 2}),
                                               filled<double>({2 * n}, static_cast<double>(s)), ctx)
                                    .view());
    auto& header = add_readout(scan, k, 2, coils, {y.begin(), y.end()});
    header.counters.repetition = static_cast<std::uint16_t>(s * images / spokes);
  }
  return scan;
}

/// All images of a result in one array.
Array<C> images_of(const Reconstruction& result) {
  Array<C> images(pixels.prepend(static_cast<Index>(result.series.images.size())));
  for (Index i = 0; i < images.size(); ++i)
    images[i] = result.series.images[static_cast<std::size_t>(i / pixels.size())].pixels[i % pixels.size()];
  return images;
}

/// Relative to the norm of all truths.
double error_of_images(const Reconstruction& result, const Array<C>& truth) {
  return relative_difference(images_of(result), truth);
}

constexpr Index frames = 8, spokes_of_frame = 5, spokes = frames * spokes_of_frame;

class DynamicScan : public testing::Test {
 protected:
  Context ctx_ = two_threads();
  std::vector<Tissue> object_ = tissues([](double t) { return D(0.2 + 0.6 * std::sin(0.06 * t)); });
  Array<C> maps_ = true_maps(ctx_);
  Array<C> truth_ = [&] {
    std::vector<double> middle;
    for (Index f = 0; f < frames; ++f)
      middle.push_back((static_cast<double>(f) + 0.5) * spokes_of_frame - 0.5);
    return tissue_truth(object_, pixels, middle, ctx_);
  }();
  ReconstructOptions options() {
    ReconstructOptions result;
    result.coils.maps = maps_;
    result.prepare.units = TrajectoryUnits::normalised;
    return result;
  }
  Scan scan(Index images = 1) { return scan_over_time(object_, spokes, ctx_, images); }
};

TEST_F(DynamicScan, WindowsWithTotalVariationInTimeBeatEachFrameByItself) {
  auto options = this->options();
  options.frames.window = FrameWindow{spokes_of_frame, spokes_of_frame};
  double alone = 1;
  for (const Index iterations : {2, 4, 6, 8, 12}) {
    options.solve.iterations = iterations;
    alone = std::min(alone, error_of_images(reconstruct(scan(), options, ctx_), truth_));
  }
  options.solve.iterations = 60;
  options.solve.regularizers = {parse_regularizer("ttv:1e-3")};
  const auto result = reconstruct(scan(), options, ctx_);
  EXPECT_LT(error_of_images(result, truth_), 0.4 * alone);
  EXPECT_EQ(result.report.series.frames, frames);
  EXPECT_EQ(result.report.solution.solver, "admm");
  EXPECT_THAT(result.report.transform.normal_operator, HasSubstr("SenseToeplitz"));
  EXPECT_GT(result.report.memory.plan.total(), 0U);
  ASSERT_EQ(result.report.images.size(), 1U) << "one problem";
  for (std::size_t f = 0; f < frames; ++f) EXPECT_EQ(result.series.images[f].counters.repetition, f);
  EXPECT_EQ(result.series.images[0].pixels.shape(), (Shape{1, n, n}));
}

TEST_F(DynamicScan, WindowsBinsAndImagesAreTheSameSeries) {
  auto options = this->options();
  options.solve.regularizers = {parse_regularizer("llr:1e-2:shifts=0")};
  options.solve.iterations = 10;
  const auto images = reconstruct(scan(frames), options, ctx_);
  EXPECT_EQ(images.report.series.frames, frames);
  EXPECT_EQ(images.series.images[3].counters.repetition, 3);
  options.frames.window = FrameWindow{spokes_of_frame, 0};
  const auto windows = reconstruct(scan(), options, ctx_);
  options.frames.window.reset();
  Array<double> bins({spokes});
  for (Index s = 0; s < spokes; ++s) bins[s] = static_cast<double>(s / spokes_of_frame);
  options.frames.bins = bins;
  const auto binned = reconstruct(scan(), options, ctx_);
  ASSERT_EQ(binned.series.images.size(), images.series.images.size());
  for (std::size_t f = 0; f < frames; ++f) {
    EXPECT_EQ(values(windows.series.images[f].pixels), values(images.series.images[f].pixels));
    EXPECT_EQ(values(binned.series.images[f].pixels), values(images.series.images[f].pixels));
    EXPECT_EQ(binned.series.images[f].counters.phase, f);
  }
}

TEST_F(DynamicScan, SlicesShareOneScale) {
  // The second slice has a tenth of the first one's signal, so the same threshold has a larger effect there.
  Scan slices = scan();
  const std::size_t of_one = slices.readouts.size();
  for (std::size_t r = 0; r < of_one; ++r) {
    const Readout first = slices.readouts[r];
    const std::size_t length = static_cast<std::size_t>(first.header.samples) * coils;
    std::vector<C> data;
    for (std::size_t i = 0; i < length; ++i) data.push_back(0.1F * slices.data[first.data_offset + i]);
    const std::vector<float> k(
        slices.trajectory.begin() + static_cast<std::ptrdiff_t>(first.trajectory_offset),
        slices.trajectory.begin() + static_cast<std::ptrdiff_t>(first.trajectory_offset + 4 * n));
    add_readout(slices, k, 2, coils, data).counters.slice = 1;
  }
  auto options = this->options();
  options.frames.window = FrameWindow{spokes_of_frame, 0};
  options.solve.regularizers = {parse_regularizer("llr:1e-2:shifts=0")};
  options.solve.iterations = 10;
  const auto both = reconstruct(slices, options, ctx_);
  ASSERT_EQ(both.series.images.size(), 2U * frames);
  ASSERT_EQ(both.report.images.size(), 2U);
  EXPECT_EQ(both.report.images[0].scale, both.report.images[1].scale);
  EXPECT_EQ(both.series.images[frames + 2].counters.slice, 1);
  EXPECT_EQ(both.series.images[frames + 2].counters.repetition, 2);
  const auto alone = reconstruct(scan(), options, ctx_);
  double norm = 0, tenth = 0;
  for (std::size_t f = 0; f < frames; ++f) {
    EXPECT_EQ(values(both.series.images[f].pixels), values(alone.series.images[f].pixels));
    for (Index i = 0; i < n * n; ++i) {
      norm += std::norm(D(both.series.images[f].pixels[i]));
      tenth += std::norm(D(both.series.images[frames + f].pixels[i]));
    }
  }
  EXPECT_LT(std::sqrt(tenth / norm), 0.099);
  EXPECT_GT(std::sqrt(tenth / norm), 0.03);
}

TEST_F(DynamicScan, SubspaceGivesItsCoefficients) {
  // The time course is a combination of the two basis functions, a constant and itself.
  Array<D> basis({frames, 2});
  for (Index f = 0; f < frames; ++f) {
    basis[2 * f] = 1;
    basis[2 * f + 1] = std::sin(0.06 * ((static_cast<double>(f) + 0.5) * spokes_of_frame - 0.5));
  }
  auto options = this->options();
  options.frames.basis = basis;
  options.solve.iterations = 20;
  for (const bool windows : {false, true}) {
    if (windows) options.frames.window = FrameWindow{spokes_of_frame, 0};
    const auto result = reconstruct(scan(windows ? 1 : frames), options, ctx_);
    ASSERT_EQ(result.series.images.size(), 2U);
    EXPECT_EQ(result.series.images[1].counters.set, 1);
    EXPECT_EQ(result.report.series.coefficients, 2);
    EXPECT_THAT(result.report.transform.normal_operator, HasSubstr("Toeplitz"));
    const auto images = echo_images(given_subspace(basis, frames), images_of(result), ctx_);
    EXPECT_LT(relative_difference(images, truth_), 0.07);
  }
}

TEST_F(DynamicScan, CoefficientsOfSeveralContrastsAreNoneOfThem) {
  auto options = this->options();
  const auto basis = filled<D>({frames, 1}, 1);
  options.frames.basis = basis;
  for (const bool several : {false, true}) {
    Scan echoes = scan(frames);
    for (Readout& readout : echoes.readouts)
      readout.header.counters.contrast = several ? readout.header.counters.repetition : std::uint16_t{3};
    const auto result = reconstruct(std::move(echoes), options, ctx_);
    EXPECT_EQ(result.series.images.at(0).counters.contrast, several ? frames : 3);
  }
}

TEST_F(DynamicScan, WhatDoesNotFitIsToldInOneLine) {
  const auto told = [&](const auto& change, Index images = 1) {
    auto options = this->options();
    change(options);
    return error_of([&] { reconstruct(scan(images), options, ctx_); });
  };
  EXPECT_THAT(told([](auto& o) { o.solve.regularizers = {parse_regularizer("ttv:1e-3")}; }),
              testing::StartsWith("2"));
  EXPECT_THAT(told([](auto& o) {
                o.solve.regularizers = {parse_regularizer("ttv:1e-3")};
                o.frames.window = FrameWindow{spokes, 0};
              }),
              testing::StartsWith("2"));
  EXPECT_THAT(told([](auto& o) {
                o.frames.window = FrameWindow{spokes + 1, 0};
              }),
              HasSubstr("2: a window of 41"));
  const auto with_window = [&](const auto& change) {
    return told([&](auto& o) {
      o.frames.window = FrameWindow{spokes_of_frame, 0};
      change(o);
    });
  };
  Array<D> basis({frames + 1, 2});
  for (Index i = 0; i < basis.size(); ++i) basis[i] = static_cast<double>(i * i);
  EXPECT_THAT(with_window([&](auto& o) { o.frames.basis = basis; }), HasSubstr("8"));
  const auto field = filled<float>({n, n + 1}, 0);
  EXPECT_THAT(told([&](auto& o) { o.field.frequency = field; }), HasSubstr("field map of shape [24, 25]"));
  Array<double> bins({3});
  EXPECT_THAT(told([&](auto& o) { o.frames.bins = bins; }), HasSubstr("bins of shape"));
  Context small(Device::cpu(), {.threads = 1, .memory_limit = 1000000});
  auto options = this->options();
  options.frames.window = FrameWindow{spokes_of_frame, 0};
  EXPECT_THAT(error_of([&] { reconstruct(scan(), options, small); }), HasSubstr("memory"));
}

TEST(FieldMapOfAScan, CorrectsWhatIgnoringItBlurs) {
  Context ctx = two_threads();
  const auto maps = true_maps(ctx);
  PhantomPart body, spot;
  body.radii = {0.34, 0.38, 0.4};
  spot.centre = {0.1, 0.05, 0};
  spot.radii = {0.1, 0.12, 0.1};
  const auto object = test::phantom_image({2, {body, spot}, coil_ring(2, coils)}, pixels, 4, ctx);
  Array<float> field(pixels);
  for (Index y = 0; y < n; ++y)
    for (Index x = 0; x < n; ++x)
      field[y * n + x] = static_cast<float>(90 * std::sin(0.25 * static_cast<double>(x)) +
                                            3 * static_cast<double>(y - n / 2));
  Scan scan = empty_scan({n, n, 1}, {n, n, 5});
  for (Index s = 0; s < 40; ++s) {
    const auto k = spoke(std::numbers::pi * static_cast<double>(s) / 40, 2 * n);
    const std::vector<double> exact(k.begin(), k.end());
    std::vector<double> times;
    for (Index j = 0; j < 2 * n; ++j) times.push_back(static_cast<double>(j - n) * 200e-6);
    const auto y = converted<C>(exact_samples(object, converted<D>(maps.view()), {field, {}, {}},
                                              View<const double>(exact.data(), {2 * n, 2}),
                                              View<const double>(times.data(), {2 * n}), ctx)
                                    .view());
    auto& header = add_readout(scan, k, 2, coils, {y.begin(), y.end()});
    header.center_sample = n;
    header.sample_time_us = 200;
  }
  ReconstructOptions options;
  options.coils.maps = maps;
  options.prepare.units = TrajectoryUnits::normalised;
  const auto truth = converted<C>(object.view());
  const auto ignored = reconstruct(scan, options, ctx);
  options.field.frequency = field;
  const auto corrected = reconstruct(scan, options, ctx);
  EXPECT_GT(corrected.report.series.segments, 2);
  EXPECT_LT(corrected.report.series.segment_error, 2e-3);
  EXPECT_THAT(corrected.report.transform.normal_operator, HasSubstr("Toeplitz"));
  EXPECT_GT(error_of_images(ignored, truth), 0.2);
  EXPECT_LT(error_of_images(corrected, truth), 0.15 * error_of_images(ignored, truth));
  // A series, whose frames share the time segments.
  options.frames.window = FrameWindow{20, 20};
  options.solve.regularizers = {parse_regularizer("llr:1e-3")};
  const auto series = reconstruct(scan, options, ctx);
  ASSERT_EQ(series.series.images.size(), 2U);
}

}  // namespace
}  // namespace larmor::test
