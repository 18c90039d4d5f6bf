#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include "mri/synthetic_scan.hpp"

#include <gmock/gmock.h>

#include <numbers>

// Sample times across the acquisitions of one excitation.

namespace larmor {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr double dwell = 4e-6;

/// Lines of 8 samples in alternating directions, as a header of `kind` and flags describe them.
Scan echo_train(const char* kind, bool flags, Index shots = 1) {
  Scan scan = test::empty_scan({8, 6, 1}, {8, 6, 5}, kind);
  for (Index y = 0; y < 6; ++y) {
    std::vector<float> k;
    for (Index j = 0; j < 8; ++j) {
      k.push_back(static_cast<float>((y / shots % 2 == 1 ? 3 - j : j - 4)) / 8);
      k.push_back(static_cast<float>(y - 3) / 6);
    }
    ReadoutHeader& header = test::add_readout(scan, k, 2);
    header.encode_step_1 = static_cast<std::uint16_t>(y);
    header.segment = static_cast<std::uint16_t>(y % shots);
    header.center_sample = 4;
    if (flags && y / shots % 2 == 1) header.set(AcquisitionFlag::reverse);
  }
  return scan;
}

ScanPlan planned(const Scan& scan) {
  PrepareOptions options;
  options.sample_times = true;
  return plan_scan(scan, options);
}

double time_of(const Scan& scan, Index line, Index sample) {
  return load_trajectory(planned(scan), 0).times[8 * line + sample];
}

TEST(SampleTimes, LinesOfAnEchoTrainAreTheEchoSpacingApart) {
  for (const auto& [kind, flags] : {std::pair{"epi", false}, {"other", true}, {"other", false}}) {
    Scan scan = echo_train(kind, flags);
    EXPECT_THAT(planned(scan).warnings, Contains(HasSubstr("from line to line"))) << kind << flags;
    scan.echo_spacing_ms = 0.5;
    EXPECT_NEAR(time_of(scan, 3, 4), 0, 1e-12);
    EXPECT_NEAR(time_of(scan, 5, 6), 2 * 0.5e-3 + 2 * dwell, 1e-12);
    EXPECT_NEAR(time_of(scan, 0, 0), -3 * 0.5e-3 - 4 * dwell, 1e-12);
    EXPECT_THAT(planned(scan).notes, Contains(HasSubstr("0.5 ms apart")));
  }
}

TEST(SampleTimes, ShotsBeginAnew) {
  for (const auto& [kind, flags] : {std::pair{"epi", true}, {"other", true}, {"other", false}}) {
    Scan scan = echo_train(kind, flags, 2);
    scan.echo_spacing_ms = 0.5;
    // Lines 0, 2, 4 and 1, 3, 5: the ones nearest to line 3 are 2 and 3.
    EXPECT_NEAR(time_of(scan, 4, 4), 0.5e-3, 1e-12) << kind << flags;
    EXPECT_NEAR(time_of(scan, 5, 4), 0.5e-3, 1e-12) << kind << flags;
    EXPECT_NEAR(time_of(scan, 0, 4), -0.5e-3, 1e-12) << kind << flags;
  }
}

TEST(SampleTimes, SpokesBackAndForthAreNoEchoTrain) {
  Scan scan = test::empty_scan({8, 8, 1}, {8, 8, 5});
  scan.echo_spacing_ms = 0.5;
  for (Index s = 0; s < 40; ++s) {
    const double angle = std::numbers::pi * (static_cast<double>(s) / 40 + static_cast<double>(s % 2));
    ReadoutHeader& header = test::add_readout(scan, test::spoke(angle, 8), 2);
    header.encode_step_1 = static_cast<std::uint16_t>(s);
    header.center_sample = 4;
  }
  for (const Index s : {0, 1, 20, 39}) EXPECT_NEAR(time_of(scan, s, 5), dwell, 1e-12);
}

TEST(SampleTimes, AnArmInSeveralAcquisitionsHasOneClock) {
  for (const bool counted : {false, true}) {
    Scan scan = test::empty_scan({8, 8, 1}, {8, 8, 5}, "spiral");
    for (Index arm = 0; arm < 3; ++arm)
      for (Index part = 0; part < 3; ++part) {
        std::vector<float> k;
        for (Index j = 8 * part; j < 8 * part + 8; ++j) {
          const double radius = 0.5 * static_cast<double>(j) / 23,
                       angle = 9 * radius + static_cast<double>(arm);
          k.push_back(static_cast<float>(radius * std::cos(angle)));
          k.push_back(static_cast<float>(radius * std::sin(angle)));
        }
        ReadoutHeader& header = test::add_readout(scan, k, 2);
        header.encode_step_1 = static_cast<std::uint16_t>(arm);
        if (counted) header.segment = static_cast<std::uint16_t>(part);
      }
    for (Index arm = 0; arm < 3; ++arm) {
      EXPECT_NEAR(time_of(scan, 3 * arm, 0), 0, 1e-12) << counted;
      EXPECT_NEAR(time_of(scan, 3 * arm + 2, 7), 23 * dwell, 1e-12) << counted;
    }
  }
}

TEST(SampleTimes, SpokesAreMeasuredFromTheirEchoes) {
  Scan scan = test::empty_scan({8, 8, 1}, {8, 8, 5});
  for (Index s = 0; s < 4; ++s) {
    ReadoutHeader& header = test::add_readout(scan, test::spoke(0.7 * static_cast<double>(s), 8), 2);
    header.center_sample = 4;
  }
  for (Index s = 0; s < 4; ++s) EXPECT_NEAR(time_of(scan, s, 5), dwell, 1e-12);
  EXPECT_THAT(planned(scan).notes, Contains(HasSubstr("from each readout's echo on")));
}

}  // namespace
}  // namespace larmor
