#include <larmor/mri/scan/units.hpp>

#include <fmt/format.h>

#include "mri/synthetic_scan.hpp"

#include <gmock/gmock.h>

#include <numbers>

namespace larmor {
namespace {

using test::error_of;
using test::fault_of;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::array<Index, 3> matrix{240, 200, 1};
constexpr Vec3 fov{240, 220, 5};

UnitDecision automatic(const std::vector<double>& largest) {
  return decide_units(TrajectoryUnits::automatic, largest, matrix, fov);
}

TEST(Units, AreRecognisedByTheEdgeOfEveryAxis) {
  using Units = TrajectoryUnits;
  struct Case {
    std::vector<double> largest;
    TrajectoryUnits units;
    double scale;  // of kx
  };
  const double turn = 2 * std::numbers::pi;
  // Square coverage, whose norm reaches 0.707; pixels of 1 and 1.1 mm, whose edges are at 500/m and 454/m.
  for (const Case& each : {Case{{0.4, 0.3}, Units::normalised, 1},
                           {{0.51, 0.3}, Units::normalised, 1},
                           {{0.5, 0.5}, Units::normalised, 1},
                           {{3.1416, 3.0}, Units::radians, 1 / turn},
                           {{118, 99}, Units::cycles_per_fov, 1.0 / 240},
                           {{498, 450}, Units::per_metre, 1e-3},
                           {{3130, 2800}, Units::radians_per_metre, 1e-3 / turn}}) {
    const auto decision = automatic(each.largest);
    EXPECT_EQ(decision.units, each.units) << each.largest[0];
    EXPECT_DOUBLE_EQ(decision.scale[0], each.scale) << each.largest[0];
  }
  EXPECT_DOUBLE_EQ(automatic({118, 99}).scale[1], 1.0 / 200);
  EXPECT_DOUBLE_EQ(automatic({498, 450}).scale[1], 1.1e-3);
  EXPECT_THAT(automatic({0.5, 0.3}).text, HasSubstr("normalised"));
  EXPECT_THAT(fault_of([] {
                decide_units(TrajectoryUnits::automatic, {0.25, 0.25}, {128, 128, 1}, {256, 256, 5});
              }),
              HasSubstr("look like 1/mm: scale them"));
  // An axis of one pixel decides nothing.
  EXPECT_EQ(decide_units(TrajectoryUnits::automatic, {0.5, 0.5, 7}, {64, 64, 1}, {64, 64, 5}).units,
            Units::normalised);
  // Units that are asked for have the same scale.
  EXPECT_DOUBLE_EQ(decide_units(Units::per_metre, {500, 454}, matrix, fov).scale[1], 1.1e-3);
  EXPECT_DOUBLE_EQ(decide_units(Units::radians_per_metre, {3141, 2856}, matrix, fov).scale[0], 1e-3 / turn);
}

TEST(Units, AnythingElseIsRefusedWithTheMaximaAndTheOption) {
  for (const double largest : {0.39, 0.52, 1.0, 2.0, 60.0, 140.0, 2000.0}) {
    const std::string error = fault_of([&] { automatic({largest, 0.1}); });
    EXPECT_THAT(error, StartsWith("3 traj_units: trajectory units not recognised")) << largest;
    EXPECT_THAT(error, HasSubstr(fmt::format("|kx| {:.4g}", largest)));
    EXPECT_THAT(error, HasSubstr("give the units"));
  }
}

TEST(Units, NormalisedToAnotherMatrix) {
  // Half the pixel of the encoded matrix: its edge is at 0.25.
  const UnitEvidence evidence{{256, 256, 1}, {300, 300, 5}, {}, 0};
  const auto decision =
      decide_units(TrajectoryUnits::automatic, {0.25, 0.25}, {128, 128, 1}, {300, 300, 5}, evidence);
  EXPECT_EQ(decision.scale, (std::vector<double>{2, 2}));
  EXPECT_THAT(decision.text, HasSubstr("normalised to the recon pixel"));
}

TEST(Units, AskedForAgainstTheDataTheyAreDoubted) {
  const std::array<Index, 3> encoded{128, 128, 1};
  const Vec3 field{300, 300, 5};
  const UnitEvidence evidence{{}, {}, {0.5 / 128, 0.5 / 128}, 4};
  const auto asked = [&](TrajectoryUnits units, double largest, const UnitEvidence& known) {
    return decide_units(units, {largest, largest}, encoded, field, known);
  };
  for (const auto units : {TrajectoryUnits::cycles_per_fov, TrajectoryUnits::radians}) {
    const auto decision = asked(units, 0.5, evidence);
    EXPECT_EQ(decision.units, units);
    EXPECT_TRUE(decision.doubtful);
    EXPECT_THAT(decision.text, HasSubstr("as normalised they would reach its edge"));
    EXPECT_FALSE(asked(units, 0.5, {}).doubtful) << "steps that are not known say nothing";
  }
  EXPECT_FALSE(asked(TrajectoryUnits::normalised, 0.5, evidence).doubtful);
  // A part of k-space with steps along a readout; in no other units would it extend to the edge.
  EXPECT_FALSE(asked(TrajectoryUnits::normalised, 0.2, evidence).doubtful);
  EXPECT_FALSE(asked(TrajectoryUnits::cycles_per_fov, 0.2, evidence).doubtful);
  const double edge = 0.5 * 128 / 300, step = 2 * edge / 128;  // in 1/mm
  const auto decision = asked(TrajectoryUnits::per_metre, edge, {{}, {}, {step, step}, 4});
  EXPECT_TRUE(decision.doubtful);
  EXPECT_THAT(decision.text, HasSubstr("as 1/mm they would reach its edge"));
}

TEST(Units, APartOfKspaceIsRecognisedByItsSteps) {
  const std::array<Index, 3> encoded{128, 128, 1};
  const Vec3 field{300, 300, 5};
  // Out to 0.3 in steps of half a cycle per field of view; in radians, steps would be six times as fine.
  UnitEvidence evidence{{}, {}, {0.5 / 128, 0.5 / 128}, 4};
  const auto decision = decide_units(TrajectoryUnits::automatic, {0.3, 0.3}, encoded, field, evidence);
  EXPECT_EQ(decision.units, TrajectoryUnits::normalised);
  EXPECT_THAT(decision.text, HasSubstr("reaches 60 %"));
  // As 1/m: out to 120/m, half a cycle per 0.3 m in 4 µs.
  evidence.largest_step = {0.5 / 0.3, 0.5 / 0.3};
  EXPECT_EQ(decide_units(TrajectoryUnits::automatic, {120, 120}, encoded, field, evidence).units,
            TrajectoryUnits::per_metre);
  // No gradient makes such a step in 10 ns; without steps the units cannot be determined.
  evidence.dwell_us = 0.01;
  EXPECT_THROW(decide_units(TrajectoryUnits::automatic, {120, 120}, encoded, field, evidence), Error);
  EXPECT_THROW(decide_units(TrajectoryUnits::automatic, {0.3, 0.3}, encoded, field), Error);
}

TEST(Units, AmbiguousForATinyMatrix) {
  const std::string error = error_of([] {
    decide_units(TrajectoryUnits::automatic, {3.1, 3.1}, {6, 6, 1}, {60, 60, 5});
  });
  EXPECT_THAT(error, HasSubstr("fit cycles/fov and radians"));
}

TEST(Units, ZeroEverywhereIsNoTrajectory) {
  EXPECT_THAT(fault_of([] { automatic({0, 0}); }), StartsWith("3 trajectory: trajectory is zero everywhere"));
  const auto asked = [] { decide_units(TrajectoryUnits::normalised, {0, 0}, matrix, fov); };
  EXPECT_THAT(fault_of(asked), StartsWith("3 trajectory: "));
}

TEST(Units, AskedUnitsFarOutsideTheMatrixAreRefused) {
  const std::string error = fault_of([] {
    decide_units(TrajectoryUnits::normalised, {120, 100}, matrix, fov);
  });
  EXPECT_THAT(error, StartsWith("3 traj_units,fov: trajectory out of range"));
  EXPECT_THAT(error, HasSubstr("240 times the edge"));
  EXPECT_NO_THROW(decide_units(TrajectoryUnits::normalised, {0.2, 0.2}, matrix, fov));
}

}  // namespace
}  // namespace larmor
