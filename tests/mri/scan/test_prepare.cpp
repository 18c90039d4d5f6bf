#include <larmor/core/math/linalg.hpp>
#include <larmor/mri/scan/odd_readouts.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include "mri/synthetic_scan.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

namespace larmor {
namespace {

using test::add_readout;
using test::empty_scan;
using test::error_of;
using test::fault_of;
using test::spoke;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

/// Warnings about single readouts.
std::vector<std::string> odd_readouts(const Scan& scan, const PrepareOptions& options = {}) {
  Context ctx;
  auto plan = plan_scan(scan, options);
  report_odd_readouts(scan, ctx, plan);
  return plan.warnings;
}

/// The first image's data.
PreparedImage prepared(const Scan& scan, const PrepareOptions& options = {}) {
  Context ctx;
  const auto plan = plan_scan(scan, options);
  return load_image(scan, plan, plan_channels(scan, plan, ctx, options), 0, ctx);
}

/// `spokes` spokes of 16 samples for an 8×8 image.
Scan radial_scan(Index spokes = 4, Index channels = 1) {
  Scan scan = empty_scan({8, 8, 1}, {8, 8, 5});
  for (Index s = 0; s < spokes; ++s)
    add_readout(scan, spoke(std::numbers::pi * static_cast<double>(s) / static_cast<double>(spokes), 16), 2,
                channels)
        .encode_step_1 = static_cast<std::uint16_t>(s);
  return scan;
}

TEST(PlanScan, SkipsWhatIsNotImagingAndCountsIt) {
  Scan scan = radial_scan(12);
  using F = AcquisitionFlag;
  int i = 0;
  for (const F flag :
       {F::noise, F::calibration, F::navigation, F::phase_correction, F::hp_feedback, F::dummy,
        F::rt_feedback, F::surface_coil, F::phase_stabilization_reference, F::phase_stabilization})
    scan.readouts[static_cast<std::size_t>(i++)].header.set(flag);
  // Both flags, as the reader of files sets them.
  scan.readouts[10].header.set(F::calibration);
  scan.readouts[10].header.set(F::calibration_and_imaging);
  scan.readouts[11].header.set(F::last_in_measurement);
  const auto plan = plan_scan(scan, {});
  EXPECT_EQ(plan.imaging.size(), 2U);
  EXPECT_EQ(plan.skipped.size(), 10U);
  EXPECT_EQ(plan.skipped.at("navigation"), 1);
  EXPECT_EQ(plan.noise_readouts, std::vector<std::size_t>{0});
  EXPECT_THAT(plan.notes, Contains(HasSubstr("1 dummy")));
}

/// Readouts of random samples.
Scan random_scan(Index spokes) {
  Scan scan = empty_scan({8, 8, 1}, {8, 8, 5});
  for (Index s = 0; s < spokes; ++s) {
    const auto samples = test::random_complex({2, 16}, static_cast<unsigned>(s));
    add_readout(scan, spoke(std::numbers::pi * static_cast<double>(s) / static_cast<double>(spokes), 16), 2,
                2, {samples.begin(), samples.end()});
  }
  return scan;
}

std::complex<float>* data_of(Scan& scan, std::size_t readout) {
  return scan.data.data() + scan.readouts[readout].data_offset;
}

TEST(PlanScan, LeavesOutReadoutsWithoutTrajectoryOrSamples) {
  Scan scan = random_scan(12);
  std::fill_n(scan.trajectory.data() + scan.readouts[5].trajectory_offset, 32, 0.0F);
  for (const std::size_t r : {2, 9}) std::fill_n(data_of(scan, r), 32, 0.0F);
  const auto plan = plan_scan(scan, {});
  EXPECT_EQ(plan.left_out, (std::set<std::size_t>{2, 5, 9}));
  EXPECT_THAT(plan.warnings, Contains("left out: readout 5, whose trajectory is zero at every sample"));
  EXPECT_THAT(plan.warnings, Contains("left out: readouts 2, 9, whose samples are all zero"));
  PrepareOptions as_they_are;
  as_they_are.whiten = false;
  const auto image = prepared(scan, as_they_are);
  Scan without = random_scan(12);
  for (const std::size_t r : {2, 5, 9}) without.readouts[r].header.set(AcquisitionFlag::dummy);
  const auto expected = prepared(without, as_they_are);
  EXPECT_TRUE(std::ranges::equal(image.trajectory, expected.trajectory));
  EXPECT_TRUE(std::ranges::equal(image.samples, expected.samples));
  // The remaining readouts keep their angles.
  for (Readout& readout : scan.readouts) readout.header.trajectory_dimensions = 0;
  PrepareOptions golden;
  golden.generate = GeneratedTrajectory::golden;
  Scan whole = random_scan(12);
  for (Readout& readout : whole.readouts) readout.header.trajectory_dimensions = 0;
  const auto all = load_trajectory(plan_scan(whole, golden), 0);
  const auto some = load_trajectory(plan_scan(scan, golden), 0);
  EXPECT_EQ(some.trajectory.shape()[0], 10 * 16);
  EXPECT_TRUE(std::equal(some.trajectory.end() - 64, some.trajectory.end(), all.trajectory.end() - 64));
}

TEST(PlanScan, KeepsReadoutsWhereAllAreAlike) {
  Scan scan = random_scan(6);
  std::fill(scan.data.begin(), scan.data.end(), 0.0F);
  EXPECT_TRUE(plan_scan(scan, {}).left_out.empty()) << "an image of nothing";
  // Points of k-space, one of which is the centre.
  scan = random_scan(6);
  for (std::size_t r = 0; r < 6; ++r)
    std::fill_n(scan.trajectory.data() + scan.readouts[r].trajectory_offset, 32,
                0.05F * static_cast<float>(r));
  PrepareOptions in_pixels;
  in_pixels.units = TrajectoryUnits::normalised;
  EXPECT_TRUE(plan_scan(scan, in_pixels).left_out.empty());
  PrepareOptions all;
  all.leave_out_empty = false;
  scan = random_scan(6);
  std::fill_n(data_of(scan, 3), 32, 0.0F);
  EXPECT_TRUE(plan_scan(scan, all).left_out.empty());
}

TEST(PlanScan, ReportsReadoutsThatAreRepeatedOrFarFromTheirNeighbours) {
  Scan scan = random_scan(12);
  EXPECT_THAT(odd_readouts(scan), testing::IsEmpty());
  std::copy_n(data_of(scan, 1), 32, data_of(scan, 7));
  for (const auto& [readout, factor] : {std::pair<std::size_t, float>{4, 20.0F}, {11, 0.03F}})
    for (Index i = 0; i < 32; ++i) data_of(scan, readout)[i] *= factor;
  EXPECT_TRUE(plan_scan(scan, {}).left_out.empty());
  EXPECT_THAT(odd_readouts(scan),
              testing::ElementsAre(
                  "the samples of readout 7 are also those of another readout, and are used nevertheless",
                  "the energy of readouts 4, 11 is more than 100 times above or below that of the readouts "
                  "before and after"));
}

TEST(PlanScan, ComparesReadoutsWithTheNoise) {
  Scan scan = random_scan(12);
  scan.readouts[0].header.set(AcquisitionFlag::noise);
  EXPECT_THAT(odd_readouts(scan), testing::IsEmpty());
  for (const std::size_t readout : {3, 4})
    for (Index i = 0; i < 32; ++i) data_of(scan, readout)[i] *= 1e-3F;
  const auto below = Contains(
      "the energy of readouts 3, 4 is more than 100 times below that of the noise readouts: leave out what "
      "was not measured");
  EXPECT_THAT(odd_readouts(scan), below);
  scan.readouts[0].header.discard_pre = 32767;
  EXPECT_THAT(odd_readouts(scan), testing::Not(below)) << "the noise is discarded";
}

TEST(PlanScan, ReportsValuesThatMayBeNoMeasurements) {
  const auto warnings = [&](const std::function<void(std::complex<float>*, std::size_t)>& change) {
    Scan scan = random_scan(12);
    for (std::size_t r = 0; r < 12; ++r) change(data_of(scan, r), r);
    return odd_readouts(scan);
  };
  using testing::ElementsAre;
  const auto each = [](std::complex<float>* first, const std::function<std::complex<float>(Index)>& value) {
    for (Index i = 0; i < 32; ++i) first[i] = value(i);
  };
  EXPECT_THAT(
      warnings([&](auto* first, std::size_t) { each(first, [&](Index i) { return first[i].real(); }); }),
      ElementsAre("all samples are real, or have one phase: real or imaginary parts are missing"));
  EXPECT_THAT(warnings([&](auto* first, std::size_t r) {
                each(first, [&](Index i) {
                  return r == 3 ? std::complex<float>(first[i].real(), first[i].real()) : first[i];
                });
              }),
              ElementsAre("the samples of readout 3 are real, or have one phase: real or imaginary parts are "
                          "missing"));
  EXPECT_THAT(warnings([&](auto* first, std::size_t) {
                each(first, [&](Index i) {
                  return std::complex<float>(std::min(first[i].real(), 0.2F), first[i].imag());
                });
              }),
              ElementsAre())
      << "the imaginary parts are larger";
  const auto within = [](float value) { return std::clamp(value, -0.3F, 0.3F); };
  EXPECT_THAT(
      warnings([&](auto* first, std::size_t) {
        each(first,
             [&](Index i) { return std::complex<float>(within(first[i].real()), within(first[i].imag())); });
      }),
      ElementsAre(StartsWith("neighbouring samples of readouts 0, 1, 2, 3, 4, 5, 6, 7 and 4 more have the "
                             "largest value of the scan: they are clipped")));
  EXPECT_THAT(warnings([&](auto* first, std::size_t) {
                each(first, [&](Index i) { return first[i] * std::min(1.0F, 0.3F / std::abs(first[i])); });
              }),
              ElementsAre(testing::EndsWith("largest value of the scan: they are clipped")));
  EXPECT_THAT(warnings([](auto* first, std::size_t) { std::copy_n(first, 16, first + 16); }),
              ElementsAre("channels that are copies of others: 1; give each channel once"));
  EXPECT_THAT(warnings([&](auto* first, std::size_t) {
                each(first, [&](Index i) { return i % 16 % 3 == 0 ? 0.0F : first[i]; });
              }),
              ElementsAre(StartsWith("72 of 192 samples are zero, but others of their readouts are not")));
  // Integers: zeros are as frequent as the values next to them.
  EXPECT_THAT(warnings([&](auto* first, std::size_t) {
                each(first, [&](Index i) {
                  return std::complex<float>(std::round(first[i].real()), std::round(first[i].imag()));
                });
              }),
              ElementsAre());
  EXPECT_THAT(
      warnings([](auto* first, std::size_t r) {
        if (r == 5) first[1] = 1e4F;
      }),
      testing::Contains("one sample of readout 5, away from the centre of k-space, has more energy than "
                        "all others of the image together"));
}

TEST(PlanScan, SilentChannelsAreNoCopiesOfEachOther) {
  Scan scan = empty_scan({16, 16, 1}, {16, 16, 5});
  for (unsigned s = 0; s < 12; ++s) {
    const auto signal = test::random_complex({16}, s);
    std::vector<std::complex<float>> samples(48);
    std::copy(signal.begin(), signal.end(), samples.begin());
    add_readout(scan, spoke(std::numbers::pi * s / 12, 16), 2, 3, samples);
  }
  EXPECT_THAT(odd_readouts(scan), testing::AllOf(Contains("channels of which all samples are zero: 1, 2"),
                                                 testing::Not(Contains(HasSubstr("copies")))));
}

TEST(PlanScan, ReportsSamplesFarBelowThoseAroundThem) {
  const auto warnings = [&](const std::function<bool(std::size_t, Index)>& dead, float factor) {
    Scan scan = random_scan(12);
    for (std::size_t r = 0; r < 12; ++r)
      for (Index i = 0; i < 32; ++i)
        if (dead(r, i % 16)) data_of(scan, r)[i] *= factor;
    return odd_readouts(scan);
  };
  const auto text = [](int samples, const char* where) {
    return std::to_string(samples) +
           " of 192 samples have less than 0.01 of the magnitude of those before and after them, as in "
           "readout " +
           where + ": if they were not measured, give them the density weight 0";
  };
  using testing::ElementsAre;
  for (const float factor : {1e-4F, 1e-18F}) {
    EXPECT_THAT(warnings([](auto, Index j) { return j == 5; }, factor),
                ElementsAre(text(12, "0 from 5 to 5")));
    EXPECT_THAT(warnings([](auto, Index j) { return j > 3 && j < 7; }, factor),
                ElementsAre(text(36, "0 from 4 to 6")));
    EXPECT_THAT(warnings([](auto, Index j) { return j < 3; }, factor),
                ElementsAre(text(36, "0 from 0 to 2")));
    EXPECT_THAT(warnings([](auto, Index j) { return j > 12; }, factor),
                ElementsAre(text(36, "0 from 13 to 15")));
    EXPECT_THAT(
        warnings([](std::size_t r, Index j) { return (7 * r + 3 * static_cast<std::size_t>(j)) % 16 == 0; },
                 factor),
        Contains(StartsWith("1")))
        << "here and there";
  }
  EXPECT_THAT(warnings([](std::size_t r, Index j) { return r < 3 && j == 5; }, 1e-4F), ElementsAre())
      << "three may be chance";
}

TEST(PlanScan, ReportsReadoutsFarBelowAllOthers) {
  Scan scan = random_scan(12);
  for (std::size_t r = 0; r < 12; ++r)  // lines beside the centre of k-space
    for (std::size_t j = 0; j < 16; ++j)
      scan.trajectory[scan.readouts[r].trajectory_offset + 2 * j + 1] = 0.2F + 0.02F * static_cast<float>(r);
  EXPECT_THAT(odd_readouts(scan), testing::IsEmpty());
  for (const std::size_t readout : {3, 4})
    for (Index i = 0; i < 32; ++i) data_of(scan, readout)[i] *= 1e-3F;
  EXPECT_THAT(odd_readouts(scan),
              testing::ElementsAre("the energy of readouts 3, 4 is more than 100 times below that "
                                   "of all other readouts of the image"));
}

TEST(PlanScan, ReportsReadoutsThatReachFartherThanAllOthers) {
  for (const float factor : {1.5F, 3.0F}) {
    Scan scan = random_scan(12);
    for (float& k : scan.trajectory) k *= 0.3F;
    for (std::size_t i = 0; i < 32; ++i) scan.trajectory[scan.readouts[7].trajectory_offset + i] *= factor;
    PrepareOptions options;
    options.units = TrajectoryUnits::normalised;
    const auto warned = testing::Contains(
        "the coordinates of readout 7 reach more than 2 times as far as those of all other readouts: these "
        "may be "
        "wrong, and the units and the field of view that were found with them");
    if (factor > 2)
      EXPECT_THAT(plan_scan(scan, options).warnings, warned);
    else
      EXPECT_THAT(plan_scan(scan, options).warnings, testing::Not(warned));
  }
}

TEST(PlanScan, ReportsAChannelThatOutweighsAllOthers) {
  // Readout 0 may be one of noise, with another gain of its channel 1.
  const auto warnings = [&](float factor, std::optional<float> noise = {}) {
    Scan scan = random_scan(13);
    for (std::size_t r = 0; r < 13; ++r)
      for (Index i = 0; i < 16; ++i) data_of(scan, r)[16 + i] *= r == 0 ? noise.value_or(factor) : factor;
    if (noise) scan.readouts[0].header.set(AcquisitionFlag::noise);
    return odd_readouts(scan);
  };
  using testing::ElementsAre;
  const std::string loud = "channel 1 has more than 100 times the energy of all others together";
  const std::string relative =
      ", relative to the noise readouts: their gains may differ from those of the image";
  EXPECT_THAT(warnings(3), ElementsAre());
  EXPECT_THAT(warnings(1e4F), ElementsAre(loud + ", and there is no noise readout to compare their gains"));
  EXPECT_THAT(warnings(1e4F, 1e4F), ElementsAre());
  EXPECT_THAT(warnings(1e4F, 1.0F), ElementsAre(loud + relative));
  EXPECT_THAT(warnings(1, 1e-4F), ElementsAre(loud + relative));
  // Another file's noise gives the covariance only.
  Scan scan = random_scan(12), other = random_scan(1);
  other.readouts[0].header.set(AcquisitionFlag::noise);
  for (std::size_t r = 0; r < 12; ++r)
    for (Index i = 0; i < 16; ++i) data_of(scan, r)[16 + i] *= 1e4F;
  PrepareOptions options;
  options.noise = &other;
  EXPECT_THAT(odd_readouts(scan, options), testing::Not(Contains(HasSubstr("channel 1"))));
}

TEST(PlanScan, ReportsCoordinatesOfZeroFarFromThoseBesideThem) {
  const auto warnings = [](const std::function<bool(Index)>& zero) {
    Scan scan = random_scan(6);
    const std::size_t first = scan.readouts[4].trajectory_offset;
    for (Index j = 0; j < 16; ++j)
      if (zero(j))
        scan.trajectory[first + static_cast<std::size_t>(2 * j)] =
            scan.trajectory[first + static_cast<std::size_t>(2 * j + 1)] = 0;
    return plan_scan(scan, {}).warnings;
  };
  const auto text = [](int zeros) {
    return std::to_string(zeros) +
           " samples of readout 4 have the coordinates 0 far from those beside them: if these were not "
           "recorded, give the samples the density weight 0";
  };
  EXPECT_THAT(warnings([](Index j) { return j % 3 == 0; }), testing::ElementsAre(text(5)));
  EXPECT_THAT(warnings([](Index j) { return j >= 12; }), testing::ElementsAre(text(4)));
  EXPECT_THAT(warnings([](Index j) { return j == 8; }), testing::ElementsAre()) << "the centre";
}

TEST(PlanScan, NothingToReconstructSaysWhy) {
  Scan scan = radial_scan(3);
  for (auto& readout : scan.readouts) readout.header.set(AcquisitionFlag::noise);
  scan.readouts[2].header.flags = 0;
  scan.readouts[2].header.set(AcquisitionFlag::dummy);
  EXPECT_EQ(error_of([&] { plan_scan(scan, {}); }),
            "3: none of the 3 readouts is imaging data: 1 dummy, 2 noise");
}

TEST(PlanScan, ImagesAreSeparatedByCountersNotBySegmentOrAverage) {
  Scan scan = radial_scan(12);
  for (std::size_t i = 0; i < 12; ++i) {
    auto& header = scan.readouts[i].header;
    header.counters.slice = static_cast<std::uint16_t>(i % 2);
    header.counters.repetition = static_cast<std::uint16_t>(i / 6);
    header.segment = static_cast<std::uint16_t>(i % 3);
    header.average = static_cast<std::uint16_t>(i % 4 / 2);
  }
  const auto plan = plan_scan(scan, {});
  ASSERT_EQ(plan.images.size(), 4U);
  EXPECT_EQ(plan.images[1].counters.slice, 0);
  EXPECT_EQ(plan.images[1].counters.repetition, 1);
  EXPECT_EQ(plan.images[1].readouts, (std::vector<std::size_t>{6, 8, 10}));
  EXPECT_EQ(plan.images[1].samples, 48);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("2 averages are merged")));
}

TEST(PlanScan, LargestIndexIsAKeyNotASize) {
  Scan scan = radial_scan(2);
  scan.readouts[1].header.counters = {65535, 65535, 65535, 65535, 65535};
  scan.readouts[1].header.encode_step_1 = 65535;
  scan.readouts[1].header.encode_step_2 = 65535;
  EXPECT_EQ(plan_scan(scan, {}).images.size(), 2U);
}

TEST(PlanScan, SelectsRanges) {
  Scan scan = radial_scan(6);
  for (std::size_t i = 0; i < 6; ++i)
    scan.readouts[i].header.counters.slice = static_cast<std::uint16_t>(i / 2);
  PrepareOptions options;
  options.slice = {1, 3};
  auto plan = plan_scan(scan, options);
  EXPECT_EQ(plan.images.size(), 2U);
  EXPECT_EQ(plan.deselected_readouts, 2);
  options.slice = {1, 4};
  EXPECT_EQ(fault_of([&] { plan_scan(scan, options); }), "2 slice: 3 is out of range, the file has 0 to 2");
  options.slice = {.first = 5};
  EXPECT_EQ(fault_of([&] { plan_scan(scan, options); }), "2 slice: 5 is out of range, the file has 0 to 2");
}

TEST(PlanScan, EncodingsBeyondTheEndAndSeveral) {
  Scan scan = radial_scan(3);
  scan.readouts[2].header.encoding_space_ref = 1;
  scan.encodings.push_back(scan.encodings[0]);
  const auto plan = plan_scan(scan, {});
  EXPECT_EQ(plan.imaging.size(), 2U);
  EXPECT_EQ(plan.skipped.at("encoding 1"), 1);
  PrepareOptions options;
  options.encoding = 1;
  EXPECT_EQ(plan_scan(scan, options).imaging.size(), 1U);
  options.encoding = 7;
  EXPECT_THAT(fault_of([&] { plan_scan(scan, options); }), StartsWith("2 encoding: "));
}

TEST(PlanScan, RaggedReadoutsAreOneImage) {
  Scan scan = radial_scan(2);
  add_readout(scan, {0.1F, 0.2F, 0.3F, -0.2F}, 2);
  EXPECT_EQ(plan_scan(scan, {}).images[0].samples, 34);
}

TEST(PlanScan, DiscardedSamplesAreTrimmedFromDataAndTrajectory) {
  Scan scan = empty_scan({8, 8, 1}, {8, 8, 5});
  auto& header = add_readout(scan, {9, 9, 0.5F, 0, 0.25F, 0.1F, 9, 9}, 2, 2,
                             {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}, {8, 0}});
  header.discard_pre = 1;
  header.discard_post = 1;
  EXPECT_EQ(plan_scan(scan, {}).trimmed_samples, 2);
  const auto image = prepared(scan);
  EXPECT_EQ(test::values(image.trajectory), (std::vector<double>{0.5, 0, 0.25, 0.1F}));
  EXPECT_EQ(image.samples.shape(), (Shape{2, 2}));
  EXPECT_EQ(image.samples[0], 2.0F);
  EXPECT_EQ(image.samples[3], 7.0F);
}

TEST(PlanScan, SamplesBeyondTheReconPixelAreDroppedAndCounted) {
  Scan scan = radial_scan(2);
  scan.encodings[0].recon_matrix = {4, 4, 1};               // pixels twice as large: only |k| <= 0.25 remains
  EXPECT_EQ(plan_scan(scan, {}).dropped_samples(), 2 * 7);  // of −8 … 7 sixteenths, −4 … 4 remain
  const auto image = prepared(scan);
  EXPECT_EQ(image.samples.shape()[1], 18);
  double largest = 0;
  for (const double k : image.trajectory) largest = std::max(largest, std::abs(k));
  EXPECT_DOUBLE_EQ(largest, 0.5);
}

TEST(PlanScan, WhatContradictsIsRefused) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::pair<std::function<void(Scan&)>, const char*> cases[] = {
      {[](Scan& s) { s.readouts[2].header.samples = 17; }, "3: readout 2: the header declares"},
      {[](Scan& s) { s.trajectory.resize(40); }, "trajectory of 16×2 values"},
      {[](Scan& s) { add_readout(s, spoke(1, 16), 2, 2); },
       "3: mixed channel counts: readout 3 has 2, but readout 0 has 3"},
      {[](Scan& s) { s.trajectory[2 * 16 + 2 * 5 + 1] = nan; },
       "3: trajectory of readout 1, sample 5: ky is not a finite number"},
      {[](Scan& s) { s.readouts[2].header.encoding_space_ref = 1; },
       "3: readout 2 refers to encoding 1, but the header has 1"},
      {[](Scan& s) { s.readouts[0].header.discard_pre = s.readouts[0].header.discard_post = 9; },
       "3: readout 0: discard_pre 9 and discard_post 9 leave nothing of 16 samples"},
      {[](Scan& s) { s.readouts.clear(); }, "3: synthetic.h5: no acquisitions in the file"},
  };
  for (const auto& [change, error] : cases) {
    Scan scan = radial_scan(3, 3);
    change(scan);
    EXPECT_THAT(error_of([&] { plan_scan(scan, {}); }), HasSubstr(error));
  }
}

TEST(PlanScan, PlacesThatCannotBeAreWarnedOfAndReplaced) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = HUGE_VALF;
  const auto expect_replaced = [](const std::function<void(ReadoutHeader&)>& change) {
    Scan scan = radial_scan(2);
    for (auto& readout : scan.readouts) change(readout.header);
    const auto plan = plan_scan(scan, {});
    EXPECT_FALSE(plan.images[0].geometry.orientation_known);
    EXPECT_EQ(plan.images[0].geometry.read_dir, (Vec3{1, 0, 0}));
    EXPECT_EQ(plan.images[0].geometry.position, (Vec3{0, 0, 0}));
    EXPECT_THAT(plan.warnings, testing::ElementsAre(StartsWith("orientation unknown")));
  };
  for (const float bad : {0.0F, nan, 0.5F})
    expect_replaced([&](ReadoutHeader& header) { header.read_dir = {bad, 0, 0}; });
  for (const float bad : {1e30F, 1e10F, infinity})
    expect_replaced([&](ReadoutHeader& header) { header.position = {0, bad, 0}; });
}

TEST(PlanScan, SampleTimeThatIsNoneIsWarnedOf) {
  Scan scan = radial_scan(2);
  scan.readouts[0].header.sample_time_us = -1;
  const auto plan = plan_scan(scan, {});
  EXPECT_EQ(plan.imaging_dwell_us, 0);
  EXPECT_THAT(plan.warnings, testing::ElementsAre(HasSubstr("sample time")));
}

TEST(PlanScan, EqualTrajectoriesAreRecognised) {
  Scan scan = radial_scan(4);
  for (int repeat = 0; repeat < 2; ++repeat)
    for (Index s = 0; s < 4; ++s) {
      auto& header =
          add_readout(scan, spoke(std::numbers::pi * static_cast<double>(s) / 4 + 0.1 * repeat, 16), 2);
      header.counters.repetition = static_cast<std::uint16_t>(repeat + 1);
    }
  const auto plan = plan_scan(scan, {});
  EXPECT_EQ(plan.coordinates->distinct(), 2U);
  EXPECT_EQ(plan.images[0].trajectory_id, plan.images[1].trajectory_id);
  EXPECT_NE(plan.images[0].trajectory_id, plan.images[2].trajectory_id);
}

TEST(Whitening, GivesUnitVarianceWithoutCorrelation) {
  Context ctx;
  Scan scan = empty_scan({8, 8, 1}, {8, 8, 5});
  const Index samples = 20000;
  const auto white = test::random_complex({2, samples}, 3);
  // Correlated noise; the imaging readout has another bandwidth.
  const double factor = 5.0 / 2.5 * 0.793;
  scan.relative_noise_bandwidth = 0.793;
  std::vector<std::complex<float>> noise(white.begin(), white.end()), imaging(noise.size());
  const auto mix = [&](std::complex<float> a, std::complex<float> b, float gain, std::complex<float>* out) {
    out[0] = 3.0F * a * gain;
    out[samples] = (std::complex<float>(1, 1) * a + 2.0F * b) * gain;
  };
  const auto other = test::random_complex({2, samples}, 4);
  std::vector<float> k;
  for (Index j = 0; j < samples; ++j) {
    mix(white[j], white[samples + j], 1, &noise[static_cast<std::size_t>(j)]);
    mix(other[j], other[samples + j], static_cast<float>(1 / std::sqrt(factor)),
        &imaging[static_cast<std::size_t>(j)]);
    k.push_back(static_cast<float>(j) / static_cast<float>(samples) - 0.5F);
    k.push_back(0);
  }
  auto& noise_header = add_readout(scan, {}, 0, 2, noise, samples);
  noise_header.set(AcquisitionFlag::noise);
  noise_header.sample_time_us = 2.5F;
  add_readout(scan, k, 2, 2, imaging).sample_time_us = 5;

  const auto plan = plan_scan(scan, {});
  const auto channels = plan_channels(scan, plan, ctx);
  EXPECT_TRUE(channels.whitened);
  EXPECT_NEAR(channels.bandwidth_factor, factor, 1e-12);
  EXPECT_NEAR(channels.outer_variance, 1, 0.15);
  const auto image = load_image(scan, plan, channels, 0, ctx);
  double power[2] = {0, 0};
  std::complex<double> cross = 0;
  for (Index j = 0; j < samples; ++j) {
    const std::complex<double> a(image.samples[j]), b(image.samples[samples + j]);
    power[0] += std::norm(a) / static_cast<double>(samples);
    power[1] += std::norm(b) / static_cast<double>(samples);
    cross += a * std::conj(b) / static_cast<double>(samples);
  }
  EXPECT_NEAR(power[0], 1, 0.03);
  EXPECT_NEAR(power[1], 1, 0.03);
  EXPECT_LT(std::abs(cross), 0.03);
}

TEST(Whitening, NoiseOfAnotherScan) {
  Context ctx;
  const Scan scan = radial_scan(2, 2);
  Scan other = radial_scan(1, 2);
  PrepareOptions options;
  options.noise = &other;
  EXPECT_EQ(fault_of([&] { plan_scan(scan, options); }),
            "3 noise: synthetic.h5: none of 1 readouts is flagged as noise");
  auto noise = test::random_complex({2, 50000}, 5);
  for (auto& value : noise) value *= 3.0F;
  auto& header = add_readout(other, {}, 0, 2, {noise.begin(), noise.end()}, 50000);
  header.set(AcquisitionFlag::noise);
  header.sample_time_us = 2;
  other.relative_noise_bandwidth = 0.5;
  other.noise_bandwidth_assumed = true;
  const auto channels = plan_channels(scan, plan_scan(scan, options), ctx, options);
  EXPECT_TRUE(channels.whitened);
  EXPECT_EQ(channels.bandwidth_factor, 4.0 / 2 * 0.5);
  // Two real parts of variance 9 each.
  EXPECT_NEAR(channels.covariance[0].real(), 18, 0.9);
  EXPECT_THAT(channels.notes, Contains(HasSubstr("no relativeReceiverNoiseBandwidth: 0.5 is assumed")));
  add_readout(other, {}, 0, 3, {}, 500).set(AcquisitionFlag::noise);
  EXPECT_THAT(fault_of([&] { plan_channels(scan, plan_scan(scan, options), ctx, options); }),
              HasSubstr("has 3 channels, but the imaging readouts have 2"));
}

TEST(PlanScan, RefusesBandsWithoutPhases) {
  Scan scan = radial_scan(2);
  scan.encodings[0].multiband = 2;
  EXPECT_THAT(fault_of([&] { plan_scan(scan, {}); }), HasSubstr("2 slices were excited together"));
  const auto with = [&](BandOptions bands) {
    PrepareOptions options;
    options.bands = std::move(bands);
    return fault_of([&] { plan_scan(scan, options); });
  };
  EXPECT_EQ(with({.count = 0, .caipi = 2, .factors = {}, .distance_mm = 0}), "");
  EXPECT_THAT(with({.count = 65, .caipi = 2, .factors = {}, .distance_mm = 0}), HasSubstr("at most 64"));
  EXPECT_THAT(with({.count = 1, .caipi = 2, .factors = {}, .distance_mm = 0}),
              HasSubstr("give their number"));
}

TEST(PlanScan, AThirdDelayIsThatOfZWhereReadoutsMoveThere) {
  PrepareOptions options;
  options.delay = {.x = 0.1, .y = 0.2};
  options.third_delay = 0.3;
  const auto flat = plan_scan(radial_scan(2), options);
  EXPECT_EQ(flat.reading.delay.xy, 0.3);
  EXPECT_EQ(flat.reading.delay.z, 0);
  Scan volume = empty_scan({16, 16, 16}, {16, 16, 16});
  for (int s = 0; s < 3; ++s) {
    std::vector<float> k(48, 0.0F);
    for (std::size_t j = 0; j < 16; ++j)
      k[3 * j + static_cast<std::size_t>(s)] = static_cast<float>(j) / 16 - 0.5F;
    add_readout(volume, k, 3);
  }
  const auto solid = plan_scan(volume, options);
  EXPECT_EQ(solid.reading.delay.xy, 0);
  EXPECT_EQ(solid.reading.delay.z, 0.3);
}

TEST(Whitening, MissingSampleTimeMeansEqualBandwidths) {
  Context ctx;
  Scan scan = radial_scan(2, 2);
  const auto noise = test::random_complex({2, 500}, 5);
  auto& header = add_readout(scan, {}, 0, 2, {noise.begin(), noise.end()}, 500);
  header.set(AcquisitionFlag::noise);
  header.sample_time_us = 0;
  const auto plan = plan_scan(scan, {});
  const auto channels = plan_channels(scan, plan, ctx);
  EXPECT_EQ(channels.bandwidth_factor, 1);
  EXPECT_THAT(channels.warnings, Contains(HasSubstr("a sample time is missing")));
  PrepareOptions options;
  options.whiten = false;
  const auto plain = plan_channels(scan, plan_scan(scan, options), ctx, options);
  EXPECT_FALSE(plain.whitened);
  EXPECT_EQ(plain.matrix[0], 1.0);
  EXPECT_EQ(plain.matrix[1], 0.0);
}

TEST(Whitening, ChannelsThatAreNotConnectedAreLeftOut) {
  Context ctx;
  Scan scan = radial_scan(2, 3);
  auto noise = test::random_complex({3, 500}, 5);
  for (Index j = 0; j < 500; ++j) noise[500 + j] = 0;
  add_readout(scan, {}, 0, 3, {noise.begin(), noise.end()}, 500).set(AcquisitionFlag::noise);
  const auto channels = plan_channels(scan, plan_scan(scan, {}), ctx);
  EXPECT_THAT(channels.warnings, Contains(HasSubstr("left out: 1")));
  ASSERT_EQ(channels.coils, 2);
  EXPECT_EQ(channels.matrix.shape(), Shape({2, 3}));
  const auto white = matrix_product(matrix_product(channels.matrix, channels.covariance),
                                    conjugate_transpose(channels.matrix)),
             there_and_back = matrix_product(channels.matrix, channels.inverse);
  for (Index i = 0; i < 4; ++i) {
    const double expected = i % 3 == 0 ? 1 : 0;
    EXPECT_NEAR(std::abs(white[i] - expected), 0, 1e-12);
    EXPECT_NEAR(std::abs(there_and_back[i] - expected), 0, 1e-12);
  }
  for (Index coil = 0; coil < 2; ++coil) EXPECT_EQ(channels.matrix[3 * coil + 1], 0.0);
}

TEST(PlanChannels, MagnitudesThatSinglePrecisionCannotSquareAreRefused) {
  Context ctx;
  for (const float magnitude : {1e-13F, 1e-8F, 1.0F, 1e13F, 1e18F}) {
    Scan scan = radial_scan(2, 1);
    for (Readout& readout : scan.readouts)
      for (Index j = 0; j < readout.header.samples; ++j)
        scan.data[readout.data_offset + static_cast<std::size_t>(j)] = magnitude;
    const auto plan = [&] { plan_channels(scan, plan_scan(scan, {}), ctx); };
    if (magnitude < 1e-10F || magnitude > 1e15F)
      EXPECT_THAT(fault_of(plan), HasSubstr("expected 1e-10 to 1e+15: scale the data")) << magnitude;
    else
      EXPECT_NO_THROW(plan()) << magnitude;
  }
}

TEST(Whitening, UnusableNoiseNamesTheRemedy) {
  Context ctx;
  Scan scan = radial_scan(2, 2);
  const auto noise = test::random_complex({2, 500}, 5);
  std::vector<std::complex<float>> same(noise.begin(), noise.begin() + 500);
  same.insert(same.end(), noise.begin(), noise.begin() + 500);
  add_readout(scan, {}, 0, 2, same, 500).set(AcquisitionFlag::noise);
  const auto plan_both = [&] { plan_channels(scan, plan_scan(scan, {}), ctx); };
  EXPECT_THAT(fault_of(plan_both), testing::AllOf(StartsWith("3 no_whiten: "), HasSubstr("singular"),
                                                  HasSubstr("switch whitening off")));
  for (auto& value : same) value = 0;
  std::copy(same.begin(), same.end(), data_of(scan, 2));
  EXPECT_THAT(plan_channels(scan, plan_scan(scan, {}), ctx, {.keep_units = true}).warnings,
              Contains(StartsWith("the noise variance is 0, expected a positive number")));
  scan.readouts.pop_back();
  add_readout(scan, {}, 0, 3, {}, 500).set(AcquisitionFlag::noise);
  EXPECT_EQ(
      fault_of(plan_both),
      "3 no_whiten: noise readout 2 has 3 channels, but the imaging readouts have 2; switch whitening off");
}

TEST(Compression, KeepsTheEnergyOfDependentChannels) {
  Context ctx;
  Scan scan = empty_scan({8, 8, 1}, {8, 8, 5});
  const auto data = test::random_complex({16}, 7);
  std::vector<std::complex<float>> both(data.begin(), data.end());
  for (const auto& value : data) both.push_back(value * std::complex<float>(0, 2));
  add_readout(scan, spoke(0, 16), 2, 2, both);
  PrepareOptions options;
  options.virtual_coils = 1;
  const auto plan = plan_scan(scan, options);
  const auto channels = plan_channels(scan, plan, ctx, options);
  EXPECT_EQ(channels.coils, 1);
  EXPECT_NEAR(channels.compression_energy, 1, 1e-6);
  const auto image = load_image(scan, plan, channels, 0, ctx);
  EXPECT_EQ(image.samples.shape(), (Shape{1, 16}));
  for (Index j = 0; j < 16; ++j)
    EXPECT_NEAR(std::abs(image.samples[j]), std::sqrt(5.0F) * std::abs(data[j]), 1e-5);
  options.virtual_coils = 3;
  EXPECT_THAT(fault_of([&] { plan_channels(scan, plan_scan(scan, options), ctx, options); }),
              StartsWith("2 coils: 3 virtual coils"));
}

TEST(LoadImage, ConjugatesBeforeWhitening) {
  Context ctx;
  Scan scan = radial_scan(2, 2);
  const auto data = test::random_complex({2 * 2 * 16}, 8);
  std::copy(data.begin(), data.end(), scan.data.begin());
  PrepareOptions options;
  options.conjugate = true;
  const auto plan = plan_scan(scan, options);
  auto channels = plan_channels(scan, plan, ctx);
  channels.matrix[0] = std::complex<double>(0, 1);  // coil 0 = i × channel 0
  const auto image = load_image(scan, plan, channels, 0, ctx);
  EXPECT_EQ(image.samples[3], std::complex<float>(0, 1) * std::conj(data[3]));
}

TEST(LoadImage, ShiftMovesThePositionToTheCentre) {
  Scan scan = empty_scan({8, 8, 1}, {16, 16, 5});
  // A point at `position`: 2 pixels along x, −1 along y, the directions of phase and readout.
  const double x = 2, y = -1;
  std::vector<std::complex<float>> data;
  const auto k = spoke(0.4, 16);
  for (std::size_t j = 0; j < 16; ++j)
    data.push_back(
        std::complex<float>(std::polar(1.0, -2 * std::numbers::pi * (k[2 * j] * x + k[2 * j + 1] * y))));
  auto& header = add_readout(scan, k, 2, 1, data);
  header.position = {4, -2, 30};  // pixels of 2 mm; there is no shift along the slice direction
  PrepareOptions options;
  options.apply_fov_shift = true;
  for (const auto& sample : prepared(scan, options).samples) EXPECT_LT(std::abs(sample - 1.0F), 1e-5);
}

TEST(LoadImage, NonFiniteDataNameTheReadout) {
  Scan scan = radial_scan(3);
  scan.data[16 + 4] = {1, std::numeric_limits<float>::infinity()};
  EXPECT_EQ(error_of([&] { prepared(scan); }),
            "3: synthetic.h5: the data of acquisition 1 are 1+infi at channel 0, sample 4; expected finite "
            "numbers");
}

TEST(LoadImage, WhatIsNotUsedIsNotJudged) {
  Context ctx;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  Scan scan = radial_scan(3);
  scan.readouts[0].header.discard_pre = 1;
  scan.data[0] = {nan, 0};
  scan.trajectory[0] = nan;
  scan.readouts[1].header.counters.repetition = 1;
  scan.data[16] = {nan, 0};
  scan.trajectory[32] = nan;
  add_readout(scan, spoke(1, 16), 2, 2).counters.repetition = 1;  // with another number of channels
  ReadoutHeader& noise = add_readout(scan, {}, 0, 1, {{nan, nan}}, 1);
  noise.set(AcquisitionFlag::noise);
  scan.readouts.push_back(scan.readouts.back());
  scan.readouts.back().header.samples = 0;
  PrepareOptions options;
  options.repetition = {0, 1};
  options.whiten = false;
  const auto plan = plan_scan(scan, options);
  EXPECT_EQ(plan.skipped.at("without samples"), 1);
  const auto image = load_image(scan, plan, plan_channels(scan, plan, ctx, options), 0, ctx);
  EXPECT_EQ(image.samples.size(), 31);
  // Selected readouts are checked.
  options.repetition = {};
  EXPECT_THROW(plan_scan(scan, options), Error);
  options.repetition = {0, 1};
  options.whiten = true;
  EXPECT_THAT(fault_of([&] { plan_channels(scan, plan_scan(scan, options), ctx, options); }),
              StartsWith("3 no_whiten: "));
}

}  // namespace
}  // namespace larmor
