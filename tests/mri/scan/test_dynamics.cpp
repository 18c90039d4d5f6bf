// Frames of a continuous scan: windows, bins, their data and the model of the series.
#include "device_cases.hpp"
#include "mri/synthetic_scan.hpp"

#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/scan/frames.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <gmock/gmock.h>

namespace larmor::test {
namespace {

using C = std::complex<float>;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Array<double> numbers(const Shape& shape, std::initializer_list<double> list) {
  Array<double> array(shape);
  std::copy(list.begin(), list.end(), array.begin());
  return array;
}

TEST(FrameWindows, SlideAlongTheReadouts) {
  const auto frames = frames_by_window(10, {.readouts = 4, .step = 3});
  EXPECT_THAT(frames.readouts,
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(3, 4, 5, 6), ElementsAre(6, 7, 8, 9)));
  EXPECT_EQ(frames.shape, Shape{3});
  EXPECT_EQ(frames.unused, 0);
  EXPECT_EQ(frames_by_window(11, {.readouts = 4}).count(), 2);
  EXPECT_EQ(frames_by_window(11, {.readouts = 4}).unused, 3);
  const auto apart = frames_by_window(9, {.readouts = 2, .step = 4});
  EXPECT_THAT(apart.readouts, ElementsAre(ElementsAre(0, 1), ElementsAre(4, 5)));
  EXPECT_EQ(apart.unused, 5);
  EXPECT_THAT(error_of([] { frames_by_window(3, {.readouts = 4}); }),
              HasSubstr("4 readouts, but the image has 3"));
}

TEST(FrameBins, PutReadoutsTogether) {
  const auto frames = frames_by_bins(numbers({6}, {1, 0, -1, 1, 2, 0}), 6);
  EXPECT_THAT(frames.readouts, ElementsAre(ElementsAre(1, 5), ElementsAre(0, 3), ElementsAre(4)));
  EXPECT_EQ(frames.unused, 1);
  const auto two_axes = frames_by_bins(numbers({5, 2}, {0, 0, 1, 0, 0, 1, 1, 1, -1, 1}), 5);
  EXPECT_EQ(two_axes.shape, (Shape{2, 2}));
  EXPECT_THAT(two_axes.readouts, ElementsAre(ElementsAre(0), ElementsAre(2), ElementsAre(1), ElementsAre(3)));
  EXPECT_EQ(two_axes.unused, 1);
}

TEST(FrameBins, WhatCannotBeUsedIsNamed) {
  EXPECT_THAT(error_of([] { frames_by_bins(numbers({3}, {0, 1, 2}), 4); }), HasSubstr("[3] for 4 readouts"));
  EXPECT_THAT(error_of([] {
                frames_by_bins(numbers({3}, {0, 0.5, 1}), 3);
              }),
              HasSubstr("bin of readout 1 is 0.5"));
  EXPECT_THAT(error_of([] {
                frames_by_bins(numbers({3}, {0, std::nan(""), 1}), 3);
              }),
              HasSubstr("readout 1"));
  EXPECT_THAT(error_of([] { frames_by_bins(numbers({4}, {0, 2, 2, 0}), 4); }), HasSubstr("bin (1) of "));
  EXPECT_THAT(error_of([] {
                frames_by_bins(numbers({4, 2}, {0, 0, 0, 1, 1, 1, 1, 1}), 4);
              }),
              HasSubstr("bin (1, 0) of [2, 2] has no readout"));
  EXPECT_THAT(error_of([] { frames_by_bins(numbers({2}, {-1, -1}), 2); }), HasSubstr("no readout"));
  EXPECT_THAT(error_of([] { frames_by_bins(numbers({2}, {0, 900}), 2); }), HasSubstr("901 bins for 2"));
}

// Spokes of one image; the second readout of each pair has another number of discarded samples.
Scan scan_of_spokes(Index spokes) {
  auto scan = empty_scan({8, 8, 1}, {80, 80, 5});
  for (Index s = 0; s < spokes; ++s) {
    std::vector<C> data;
    for (Index j = 0; j < 2 * 16; ++j) data.emplace_back(static_cast<float>(s), static_cast<float>(j));
    auto& header = add_readout(scan, spoke(0.3 * static_cast<double>(s), 16), 2, 2, data);
    header.center_sample = 8;
    header.discard_pre = s % 2 ? 3 : 0;
    header.sample_time_us = 10;
  }
  return scan;
}

PreparedImage prepared(const Scan& scan, bool times) {
  PrepareOptions options;
  options.whiten = false;
  options.units = TrajectoryUnits::normalised;
  options.sample_times = times;
  const auto plan = plan_scan(scan, options);
  Context cpu;
  return load_image(scan, plan, plan_channels(scan, plan, cpu, options), 0, cpu);
}

TEST(FramesOfAScan, HoldTheirReadouts) {
  const auto whole = prepared(scan_of_spokes(5), true);
  EXPECT_THAT(whole.readout_starts, ElementsAre(0, 16, 29, 45, 58, 74));
  const auto frames = split_frames(whole, frames_by_window(5, {.readouts = 3, .step = 2}));
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_THAT(frames[1].readout_starts, ElementsAre(0, 16, 29, 45));
  EXPECT_EQ(frames[1].trajectory.shape(), (Shape{45, 2}));
  EXPECT_EQ(frames[1].samples.shape(), (Shape{2, 45}));
  for (Index i = 0; i < 45; ++i) {
    EXPECT_EQ(frames[1].trajectory[2 * i + 1], whole.trajectory[2 * (29 + i) + 1]);
    EXPECT_EQ(frames[1].times[i], whole.times[29 + i]);
    for (Index c = 0; c < 2; ++c) EXPECT_EQ(frames[1].samples[c * 45 + i], whole.samples[c * 74 + 29 + i]);
  }
}

// Two slices, acquired in turn in each of three repetitions of four spokes.
Scan scan_of_slices() {
  auto scan = empty_scan({8, 8, 1}, {80, 80, 5});
  for (std::uint16_t repetition = 0; repetition < 3; ++repetition)
    for (Index s = 0; s < 4; ++s)
      for (std::uint16_t slice = 0; slice < 2; ++slice) {
        const float value = static_cast<float>(repetition * 4 + s);
        auto& header = add_readout(scan, spoke(0.3 * static_cast<double>(value), 16), 2, 1,
                                   std::vector<C>(16, {value, static_cast<float>(slice)}));
        header.counters.slice = slice;
        header.counters.repetition = repetition;
      }
  return scan;
}

TEST(PlannedSeries, AreOneForEachSlice) {
  const auto scan = scan_of_slices();
  PrepareOptions options;
  options.whiten = false;
  options.units = TrajectoryUnits::normalised;
  const auto plan = plan_scan(scan, options);
  Context cpu;
  const auto channels = plan_channels(scan, plan, cpu, options);
  const auto spokes_of = [&](const PreparedImage& frame) {
    std::vector<float> spokes;
    for (std::size_t r = 0; r + 1 < frame.readout_starts.size(); ++r)
      spokes.push_back(frame.samples[frame.readout_starts[r]].real());
    return spokes;
  };

  EXPECT_EQ(plan_series(plan, {}).size(), 6U);
  EXPECT_EQ(plan_series(plan, {}).front().shape.rank(), 0);
  const auto joined = plan_series(plan, {.join_images = true});
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_EQ(joined[1].shape, Shape{3});
  const auto images = load_series(scan, plan, channels, joined[1], cpu);
  EXPECT_EQ(images[2].samples[0], C(8, 1));

  const auto windows = plan_series(plan, {.window = FrameWindow{5, 3}});
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0].shape, Shape{3});
  const auto frames = load_series(scan, plan, channels, windows[1], cpu);
  EXPECT_THAT(spokes_of(frames[1]), ElementsAre(3, 4, 5, 6, 7));
  EXPECT_EQ(frames[1].samples[0].imag(), 1);

  // Slices alternate in the file: bins are assigned by spoke.
  Array<double> bins({24});
  for (Index r = 0; r < 24; ++r) bins[r] = static_cast<double>(r / 2 % 3 - 1);
  const auto of_file = plan_series(plan, {.bins = bins});
  EXPECT_EQ(of_file[1].shape, Shape{2});
  EXPECT_EQ(of_file[1].frames->unused, 4);
  EXPECT_THAT(spokes_of(load_series(scan, plan, channels, of_file[1], cpu)[1]), ElementsAre(2, 5, 8, 11));
  Array<double> of_slice({12});
  for (Index r = 0; r < 12; ++r) of_slice[r] = static_cast<double>(r % 3 - 1);
  EXPECT_THAT(spokes_of(load_series(scan, plan, channels, plan_series(plan, {.bins = of_slice})[0], cpu)[1]),
              ElementsAre(2, 5, 8, 11));

  EXPECT_THAT(error_of([&] {
                plan_series(plan, {.window = FrameWindow{5, 3}, .bins = bins});
              }),
              HasSubstr("not by both"));
  EXPECT_THAT(
      error_of([&] { plan_series(plan, {.bins = numbers({7}, {})}); }),
      HasSubstr(
          "bins of shape [7], expected one row for each of 24 imaging readouts, or of the 12 of a slice"));
}

TEST(SampleTimes, RunFromTheEchoAndThroughSegments) {
  auto scan = scan_of_spokes(4);
  // The last two readouts are one, split in two.
  for (const std::size_t r : {2, 3}) {
    scan.readouts[r].header.discard_pre = 0;
    scan.readouts[r].header.center_sample = 0;
    scan.readouts[r].header.encode_step_1 = 7;
    scan.readouts[r].header.segment = static_cast<std::uint16_t>(r - 2);
  }
  const auto image = prepared(scan, true);
  EXPECT_NEAR(image.times[0], -80e-6, 1e-12);
  EXPECT_NEAR(image.times[8], 0, 1e-12);
  EXPECT_NEAR(image.times[16], (3 - 8) * 10e-6, 1e-12);
  EXPECT_NEAR(image.times[29], 0, 1e-12);
  EXPECT_NEAR(image.times[29 + 16], 160e-6, 1e-12);
  EXPECT_NEAR(image.times[29 + 31], 310e-6, 1e-12);
  EXPECT_TRUE(prepared(scan, false).times.empty());
  for (auto& readout : scan.readouts) readout.header.sample_time_us = 0;
  EXPECT_THAT(error_of([&] { prepared(scan, true); }), HasSubstr("sample time"));
}

template <typename Case>
class SeriesModel : public OnDevice<Case> {};
TYPED_TEST_SUITE(SeriesModel, FloatCases, CaseNames);

TYPED_TEST(SeriesModel, IsTheModelsOfTheFramesSideBySide) {
  Context& ctx = this->ctx();
  const Shape image{9, 10};
  const CoilMaps<float> maps(this->random(image.prepend(3), 2));
  const auto radial = radial_2d({.spokes = 12, .samples = 20});
  std::vector<Nufft<float>> transforms;
  Index total = 0;
  for (const Index spokes : {3, 4, 5, 6}) {
    transforms.emplace_back(radial.k.view().slices(0, 20 * spokes), image, NufftOptions{.batch = 3}, ctx);
    total += 3 * 20 * spokes;
  }
  std::vector<Operator<float>> models;
  for (const auto& transform : transforms) models.push_back(sense_model(transform, maps));
  const auto series = series_model(models, {2, 2});
  EXPECT_EQ(series.domain(), (Shape{2, 2, 9, 10}));
  EXPECT_EQ(series.codomain(), Shape{total});
  const auto x = this->random(series.domain(), 5);
  const auto y = series.apply(x, ctx);
  const auto normal = series.normal(ctx);
  const auto found = normal.apply(x, ctx);
  EXPECT_THAT(describe(normal), HasSubstr("SenseToeplitz"));
  EXPECT_THAT(describe(normal), Not(HasSubstr("Nufft")));
  Index offset = 0;
  for (Index f = 0; f < 4; ++f) {
    const auto model = sense_model(transforms[static_cast<std::size_t>(f)], maps);
    const View<const C> frame(x.data() + f * 90, image, x.device());
    const auto samples = model.apply(frame, ctx);
    EXPECT_EQ(relative_difference(View<const C>(y.data() + offset, samples.shape(), y.device()), samples), 0);
    EXPECT_LT(relative_difference(View<const C>(found.data() + f * 90, image, found.device()),
                                  model.adjoint(samples, ctx)),
              3e-3);
    offset += samples.size();
  }
}

}  // namespace
}  // namespace larmor::test
