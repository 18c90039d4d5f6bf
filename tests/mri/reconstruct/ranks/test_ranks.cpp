// Several ranks give the images of one, for any division of the work. Ranks are threads here.
#include "error_of.hpp"
#include "mri/phantom_scan.hpp"
#include "mri/reconstruct/ranks/rank_cases.hpp"
#include "ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <larmor/core/communicator/nccl.hpp>
#include <larmor/core/version.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <algorithm>
#include <mutex>

namespace larmor::test {
namespace {

using testing::HasSubstr;

Reconstruction by_one(const Case& tested) {
  return by_rank(tested, nullptr, Device::cpu());
}

/// Final result of rank 0. on_gpus: each rank has its own GPU.
Reconstruction by_ranks(const Case& tested, int count, bool on_gpus = false) {
  Reconstruction result;
  as_ranks(count, [&](std::shared_ptr<Communicator> ranks) {
    try {
      const Device device = on_gpus ? Device::cuda(ranks->rank()) : Device::cpu();
      if (on_gpus) ranks = with_nccl(ranks, device);
      Reconstruction own = by_rank(tested, ranks, device);
      if (ranks->rank() == 0) result = std::move(own);
    } catch (const Error& error) {
      if (error.error_class() != rank_lost) ADD_FAILURE() << "rank " << ranks->rank() << ": " << error.what();
      throw;
    }
  });
  return result;
}

class RanksOfAReconstruction : public testing::TestWithParam<Case> {};

TEST_P(RanksOfAReconstruction, GiveTheImagesOfOne) {
  const Reconstruction one = by_one(GetParam()), several = by_ranks(GetParam(), GetParam().ranks);
  ASSERT_EQ(several.series.images.size(), one.series.images.size());
  EXPECT_LT(difference(several, one), GetParam().tolerance);
  EXPECT_EQ(several.report.ranks.divided, GetParam().divided);
  EXPECT_EQ(several.report.ranks.count, GetParam().ranks);
  ASSERT_EQ(several.report.images.size(), one.report.images.size());
  for (std::size_t i = 0; i < one.report.images.size(); ++i) {
    EXPECT_EQ(several.report.images[i].history.size(), one.report.images[i].history.size());
    EXPECT_EQ(several.report.images[i].stop_reason, one.report.images[i].stop_reason);
    EXPECT_EQ(several.report.images[i].counters, one.report.images[i].counters);
    EXPECT_EQ(several.series.images[i].geometry.matrix, one.series.images[i].geometry.matrix);
  }
}

TEST(RanksOfAReconstructionTest, GiveTheImagesOfOneOnGpus) {
  if (cuda_device_count() < 2) GTEST_SKIP() << "there are no two GPUs";
  for (const Case& tested : rank_cases()) {
    SCOPED_TRACE(tested.name);
    const Reconstruction one = by_rank(tested, nullptr, Device::cuda()),
                         several = by_ranks(tested, std::min(cuda_device_count(), tested.ranks), true);
    ASSERT_EQ(several.series.images.size(), one.series.images.size());
    EXPECT_LT(difference(several, one), tested.tolerance);
    EXPECT_EQ(several.report.ranks.divided, tested.divided);
  }
}

// The choice is based on the same random numbers for any division.
class ChoicesOfRanks : public testing::TestWithParam<Case> {};

TEST_P(ChoicesOfRanks, AreThoseOfOne) {
  const Reconstruction one = by_one(GetParam()), several = by_ranks(GetParam(), GetParam().ranks);
  const auto &expected = one.report.solution.expectation, &found = several.report.solution.expectation;
  ASSERT_EQ(found.has_value(), expected.has_value());
  if (found) {
    // The frames of each rank have their own random numbers.
    EXPECT_NEAR(found->expected.error, expected->expected.error, 0.05 * expected->expected.error);
    EXPECT_EQ(several.report.images[0].history.size(), one.report.images[0].history.size());
  }
  const LambdaChoice &lambda = one.report.solution.lambda_choice,
                     &of_ranks = several.report.solution.lambda_choice;
  EXPECT_NEAR(of_ranks.lambda, lambda.lambda, 1e-5 * lambda.lambda);
  EXPECT_EQ(of_ranks.trials.size(), lambda.trials.size());
}
INSTANTIATE_TEST_SUITE_P(, ChoicesOfRanks, testing::ValuesIn(cases_of_choices()),
                         [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(, RanksOfAReconstruction, testing::ValuesIn(rank_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(RanksOfAReconstructionTest, GiveTheSameBitsInEveryRun) {
  const Case tested{"", one_slice, as_it_is, Split::coils, "", 3};
  const Reconstruction first = by_ranks(tested, 3), second = by_ranks(tested, 3);
  ASSERT_EQ(first.series.images.size(), 1U);
  EXPECT_EQ(values(first.series.images[0].pixels), values(second.series.images[0].pixels));
}

TEST(RanksOfAReconstructionTest, OfOtherVersionsEndAll) {
  as_ranks(3, [](std::shared_ptr<Communicator> ranks) {
    const std::string other = ranks->rank() == 1 ? "1.2.3" : version();
    EXPECT_NO_THROW(meet_as(version(), *ranks));
    EXPECT_EQ(fault_of([&] { meet_as(other, *ranks); }),
              "3 : the ranks have different scans, options or versions");
  });
}

// One rank has another scan of the same shape, or other options.
TEST(RanksOfAReconstructionTest, OfAnotherScanOrOtherOptionsEndAll) {
  const auto noisy = [](std::uint64_t seed) {
    Context ctx(Device::cpu(), {.threads = 1});
    SimulationOptions options{.matrix = {24, 24, 1}, .readouts = 30, .seed = seed};
    return simulate_scan(options, ctx).scan;
  };
  const auto told = [&](std::uint64_t seed, void (*change)(ReconstructOptions&), bool deterministic) {
    std::mutex mutex;
    std::string text;
    as_ranks(2, [&](std::shared_ptr<Communicator> ranks) {
      const bool odd = ranks->rank() == 1;
      Context ctx(Device::cpu(), {.threads = 1, .deterministic = odd && deterministic});
      ReconstructOptions options = options_of({"", one_slice, odd ? change : as_it_is, Split::coils, "", 2});
      options.ranks.communicator = ranks;
      const std::string own = fault_of([&] { reconstruct(noisy(odd ? seed : 1), options, ctx); });
      const std::lock_guard lock(mutex);
      text = own;
    });
    return text;
  };
  const std::string refused = "3 : the ranks have different scans, options or versions";
  EXPECT_EQ(told(2, as_it_is, false), refused);
  EXPECT_EQ(told(1, as_it_is, true), refused);
  const std::vector<void (*)(ReconstructOptions&)> changes = {
      [](ReconstructOptions& o) { ++o.solve.iterations; },
      [](ReconstructOptions& o) { o.transform.tolerance = 1e-4; },
      [](ReconstructOptions& o) { o.coils.calibration = Calibration::walsh; },
      [](ReconstructOptions& o) { o.solve.precision = Precision::double_precision; }};
  for (const auto change : changes) EXPECT_EQ(told(1, change, false), refused);
}

TEST(RanksOfAReconstructionTest, WhatCannotBeDividedIsRefusedWithTheReason) {
  const auto told = [](int count, Split split, void (*change)(ReconstructOptions&)) {
    std::mutex mutex;
    std::string text;
    as_ranks(count, [&](std::shared_ptr<Communicator> ranks) {
      Context ctx(Device::cpu(), {.threads = 1});
      ReconstructOptions options = options_of({"", one_slice, change, split, ""});
      options.ranks.communicator = ranks;
      const std::string own = fault_of([&] { reconstruct(one_slice(), options, ctx); });
      const std::lock_guard lock(mutex);
      text = own;
    });
    return text;
  };
  EXPECT_EQ(told(9, Split::coils, as_it_is),
            "2 split: coils cannot be divided: there are 8 coils for 9 ranks");
  EXPECT_EQ(told(9, Split::frames, as_it_is),
            "2 split: frames cannot be divided: there are 1 images, and fewer frames than the 9 ranks");
  EXPECT_THAT(told(2, Split::coils, [](ReconstructOptions& o) { o.solve.solver = Solver::lsmr; }),
              HasSubstr("lsmr works on samples"));
  EXPECT_EQ(told(2, Split::frames,
                 [](ReconstructOptions& o) {
                   o.frames.window = FrameWindow{6, 0};
                   o.solve.regularizers = {parse_regularizer("ttv:1e-2")};
                 }),
            "2 split: frames cannot be divided: a term couples the frames");
}

}  // namespace
}  // namespace larmor::test
