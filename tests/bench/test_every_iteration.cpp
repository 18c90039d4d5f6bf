#include <gtest/gtest.h>

#include "apps/recon_process.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// bench/simulated/every_iteration.cpp gives the same errors as recon run and recon compare.

namespace larmor::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A scan, its true image and the true maps.
class EveryIteration : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome made =
        recon({"simulate", scan_, "--trajectory", "radial", "--matrix", "32", "--readouts", "30", "--coils",
               "4", "--object", "smooth", "--noise", "0.02", "--truth", truth_, "--maps", maps_});
    ASSERT_EQ(made.status, 0) << made.err;
  }

  /// Error of recon run's image, by recon compare.
  double error_of_run(const Words& options, const Words& compared) const {
    const std::string image = folder_ / "image.npy";
    const Outcome made = recon(
        joined({"run", scan_, "-o", image, "--complex", "--maps", maps_, "--overwrite", "--device", "cpu"},
               options));
    EXPECT_EQ(made.status, 0) << made.err;
    const Outcome outcome = recon(joined({"compare", image, truth_, "--json"}, compared));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out).at("nrmse");
  }

  Json found(const Words& words) const {
    Conditions conditions;
    conditions.program = LARMOR_EVERY_ITERATION;
    const Outcome outcome = recon(joined({scan_, truth_, "--maps", maps_}, words), conditions);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out);
  }

  TemporaryFolder folder_;
  const std::string scan_ = folder_ / "scan.h5", truth_ = folder_ / "truth.npy", maps_ = folder_ / "maps.npy";
};

constexpr double rounding = 1e-4;  // k-space is compared in single precision

TEST_F(EveryIteration, FindsTheErrorOfTheDefaultAndOfGivenOptions) {
  const Words disc{"--inside", "disc"};
  const Json runs = found(joined({"--run=default", "--run=density=none regularizer=l2:1e-2 iterations=20",
                                  "--run=solver=gridding"},
                                 disc))
                        .at("runs");
  ASSERT_EQ(runs.size(), 3U);
  const Words options[] = {
      {}, {"--density", "none", "--regularizer", "l2:1e-2", "--iterations", "20"}, {"--solver", "gridding"}};
  for (std::size_t i = 0; i < 3; ++i) {
    const double error = error_of_run(options[i], disc);
    EXPECT_NEAR(runs[i].at("error"), error, rounding * error) << i;
  }
  EXPECT_EQ(runs[0].count("expected"), 1U);
  EXPECT_EQ(runs[1].count("expected"), 0U);
}

TEST_F(EveryIteration, FindsTheErrorAfterEveryIteration) {
  const Words magnitudes{"--magnitude", "--mask", "0.03"};
  const Json courses = found(joined({"--every=density=none regularizer=none iterations=7",
                                     "--every=density=pipe regularizer=none iterations=3", "--risen", "1e9"},
                                    magnitudes))
                           .at("every");
  ASSERT_EQ(courses.size(), 2U);
  ASSERT_EQ(courses[0].size(), 7U);
  ASSERT_EQ(courses[1].size(), 3U);
  for (const auto& [course, density] : {std::pair{courses[0], "none"}, std::pair{courses[1], "pipe"}})
    for (const std::size_t iterations : {std::size_t{2}, course.size()}) {
      const double error = error_of_run(
          {"--density", density, "--regularizer", "none", "--iterations", std::to_string(iterations)},
          magnitudes);
      EXPECT_NEAR(course[iterations - 1], error, rounding * error) << density << " " << iterations;
    }
}

TEST_F(EveryIteration, EndsWhereTheErrorHasRisen) {
  const Json errors =
      found({"--every=density=pipe regularizer=none iterations=200", "--risen", "1.1"}).at("every").at(0);
  const std::vector<double> course = errors;
  ASSERT_LT(course.size(), 200U);
  EXPECT_GT(course.back(), 1.1 * *std::min_element(course.begin(), course.end()));
}

}  // namespace
}  // namespace larmor::test
