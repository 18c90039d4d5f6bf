// Which device is expected to finish first, given sizes alone.
#include "mri/synthetic_scan.hpp"

#include <larmor/apps/machine/device_choice.hpp>

#include <gtest/gtest.h>

namespace larmor::app {
namespace {

using test::add_readout, test::empty_scan, test::spoke;

// A slice of 256² pixels with 400 spokes, and a volume of 192³ with 9200.
constexpr Workload slice{.dims = 2,
                         .pixels = 65536,
                         .samples = 2e5,
                         .coils = 8,
                         .images = 1,
                         .iterations = 10,
                         .calibrated = 65536};
constexpr Workload volume{.dims = 3,
                          .pixels = 7.1e6,
                          .samples = 1.8e6,
                          .coils = 16,
                          .images = 1,
                          .iterations = 10,
                          .calibrated = 7.1e6};

TEST(DeviceChoice, ASliceIsDoneBeforeAGpuHasStarted) {
  const PredictedTimes times = predicted_times(slice, 16);
  EXPECT_LT(times.cpu, times.gpu);
  EXPECT_LT(times.cpu, 0.3);
}

TEST(DeviceChoice, ASliceWhoseIterationsAreChosenIsNotWorthAGpu) {
  Workload chosen = slice;
  chosen.pixels = chosen.calibrated = 480 * 480;
  chosen.iterations = 60;
  EXPECT_LT(predicted_times(chosen, 16).cpu, predicted_times(chosen, 16).gpu);
  EXPECT_GT(predicted_times(chosen, 4).cpu, predicted_times(chosen, 4).gpu);
}

TEST(DeviceChoice, AVolumeIsWorthAGpu) {
  const PredictedTimes times = predicted_times(volume, 16);
  EXPECT_GT(times.cpu, 2 * times.gpu);
  EXPECT_LT(times.gpu, 2);
}

TEST(DeviceChoice, IsWorthAGpuAsIterationsAndSlicesAdd) {
  Workload longer = slice;
  longer.iterations = 5000;
  EXPECT_GT(predicted_times(longer, 16).cpu, predicted_times(longer, 16).gpu);
  Workload many = slice;
  for (double* each : {&many.pixels, &many.samples, &many.images, &many.calibrated}) *each *= 300;
  EXPECT_GT(predicted_times(many, 4).cpu, predicted_times(many, 4).gpu);
}

TEST(DeviceChoice, ThreadsHelpTheCpuAlone) {
  EXPECT_LT(predicted_times(volume, 16).cpu, predicted_times(volume, 2).cpu / 4);
  EXPECT_EQ(predicted_times(volume, 16).gpu, predicted_times(volume, 2).gpu);
}

TEST(DeviceChoice, WorkIsWhatTheHeadersSay) {
  Scan scan = empty_scan({32, 32, 1}, {320, 320, 5});
  for (int i = 0; i < 6; ++i)
    add_readout(scan, spoke(0.3 * i, 64), 2, 3).counters.slice = static_cast<std::uint16_t>(i % 2);
  add_readout(scan, {}, 2, 3, {}, 500).set(AcquisitionFlag::noise);
  ReconstructOptions options{.solve = {.regularizers = {{.name = "l2", .lambda = 1}}, .iterations = 7}};
  Workload work = workload_of(scan, options);
  EXPECT_EQ(work.dims, 2);
  EXPECT_EQ(work.images, 2);
  EXPECT_EQ(work.samples, 6 * 64);
  EXPECT_EQ(work.coils, 3);
  EXPECT_EQ(work.pixels, 2 * 32 * 32);
  EXPECT_EQ(work.calibrated, 2 * 32 * 32);
  EXPECT_EQ(work.iterations, 7);

  options.prepare.virtual_coils = 2;
  options.frames.window = FrameWindow{.readouts = 2};
  options.coils.combine = Combine::rss;
  options.solve.regularizers = {{.name = "ttv", .lambda = 1}};
  work = workload_of(scan, options);
  EXPECT_EQ(work.coils, 2);
  EXPECT_EQ(work.images, 1);
  EXPECT_EQ(work.calibrated, 0);
  EXPECT_GT(work.pixels, 3 * 32 * 32 - 1);
  EXPECT_GT(work.iterations, 7);
  options.solve.gridding = true;
  EXPECT_EQ(workload_of(scan, options).iterations, 0);
}

}  // namespace
}  // namespace larmor::app
