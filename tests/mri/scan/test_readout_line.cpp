#include <larmor/mri/scan/object_extent.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include "mri/synthetic_scan.hpp"

#include <gmock/gmock.h>

#include <array>
#include <numbers>
#include <sstream>

// Sample positions derived from headers, compared with those of the simulated samples.

namespace larmor {
namespace {

using std::numbers::pi;
using Reversed = ReadoutConvention::Reversed;
using testing::HasSubstr;

enum class Kind { lines, golden, uniform, centre_out };

/// A sampling scheme: the values in the header, and the true ones.
struct Sampling {
  Kind kind = Kind::lines;
  Index samples = 16, echo = 8;  // echo of readouts in forward direction
  std::array<Index, 3> matrix{16, 12, 1};
  Vec3 fov_mm{240, 180, 6};
  Index pre = 0, post = 0;
  bool alternate = false;  // every second readout is reversed
  Reversed reversed = Reversed::stored;
  double oversampling = 1;  // factor of readout oversampling beyond the matrix

  std::string text() const {
    std::ostringstream out;
    out << "kind " << static_cast<int>(kind) << ", " << samples << " samples, echo " << echo << ", matrix "
        << matrix[0] << "x" << matrix[1] << "x" << matrix[2] << ", discarded " << pre << " and " << post
        << (alternate ? ", alternating, convention " : ", ") << static_cast<int>(reversed);
    return out.str();
  }
};

/// Three Gaussians at different positions in the plane; k in cycles/mm.
std::complex<double> signal(const Vec3& k, const Vec3& fov) {
  constexpr double places[3][4] = {{-0.2, 0.1, 0.1, 1}, {0.15, -0.2, 0, 0.8}, {0.05, 0.25, -0.2, 0.6}};
  const double width = fov[0] / 12;
  std::complex<double> sum = 0;
  for (const auto& place : places) {
    double turns = 0, square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      turns += k[axis] * place[axis] * fov[axis];
      if (axis < 2) square += k[axis] * k[axis];  // sampled as points along z
    }
    sum += std::polar(place[3] * std::exp(-2 * pi * pi * width * width * square), -2 * pi * turns);
  }
  return sum;
}

double angle_of(Index spoke, Index spokes, Kind kind) {
  const double s = static_cast<double>(spoke);
  if (kind == Kind::uniform) return pi * s / static_cast<double>(spokes);
  return s * pi * (std::sqrt(5.0) - 1) / 2;
}

/// A scan, and the coordinates in cycles per pixel of the samples that should remain.
struct Sampled {
  Scan scan;
  std::vector<Vec3> k;
  Index beyond = 0;  ///< number of samples outside of the matrix
};

Sampled sampled(const Sampling& way) {
  Sampled result;
  Scan& scan = result.scan =
      test::empty_scan(way.matrix, way.fov_mm, way.kind == Kind::lines ? "cartesian" : "radial");
  const Index lines = way.kind == Kind::lines ? way.matrix[1] : 2 * way.matrix[1] + 1;
  for (Index line = 0; line < lines; ++line)
    for (Index z = 0; z < way.matrix[2]; ++z) {
      const bool backwards = way.alternate && line % 2 == 1;
      std::vector<std::complex<float>> data;
      for (Index j = 0; j < way.samples; ++j) {
        const double along = static_cast<double>((backwards ? way.samples - 1 - j : j) - way.echo) /
                             way.fov_mm[0] / way.oversampling;
        const double angle = angle_of(line, lines, way.kind);
        Vec3 k{along * std::cos(angle), along * std::sin(angle), 0};
        if (way.kind == Kind::lines)
          k = {along, static_cast<double>(line - way.matrix[1] / 2) / way.fov_mm[1], 0};
        if (way.matrix[2] > 1) k[2] = static_cast<double>(z - way.matrix[2] / 2) / way.fov_mm[2];
        const bool discarded = j < way.pre || j >= way.samples - way.post;
        data.emplace_back(discarded ? 1e3 : signal(k, way.fov_mm));
        bool inside = !discarded;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          k[axis] *= way.fov_mm[axis] / static_cast<double>(way.matrix[axis]);
          inside = inside && std::abs(k[axis]) <= 0.5 + 1e-9;
        }
        if (inside) result.k.push_back(k);
        result.beyond += !inside && !discarded;
      }
      ReadoutHeader& header = test::add_readout(scan, {}, 0, 1, data, way.samples);
      header.encode_step_1 = static_cast<std::uint16_t>(line);
      header.encode_step_2 = static_cast<std::uint16_t>(z);
      header.discard_pre = static_cast<std::uint16_t>(way.pre);
      header.discard_post = static_cast<std::uint16_t>(way.post);
      Index centre = way.echo;
      if (backwards) {
        header.set(AcquisitionFlag::reverse);
        const Index stored = way.samples - 1 - way.echo;
        if (way.reversed == Reversed::stored) centre = stored;
        if (way.reversed == Reversed::one_before) centre = stored + 1;
      }
      header.center_sample = static_cast<std::uint16_t>(centre);
    }
  return result;
}

ScanPlan planned(const Sampling& way, const Scan& scan) {
  PrepareOptions options;
  if (way.kind != Kind::lines)
    options.generate = way.kind == Kind::uniform ? GeneratedTrajectory::uniform : GeneratedTrajectory::golden;
  return plan_scan(scan, options);
}

/// The largest distance of a sample from its true position, in cycles per pixel; 1 if their number differs.
double distance(const Sampling& way) {
  const Sampled truth = sampled(way);
  const ScanPlan plan = planned(way, truth.scan);
  EXPECT_EQ(plan.dropped_samples(), truth.beyond) << way.text();
  const auto k = load_trajectory(plan, 0).trajectory;
  const auto dims = static_cast<std::size_t>(plan.dims);
  if (static_cast<std::size_t>(k.size()) != truth.k.size() * dims) return 1;
  double largest = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(k.size()); ++i)
    largest = std::max(largest, std::abs(k[static_cast<Index>(i)] - truth.k[i / dims][i % dims]));
  return largest;
}

TEST(ReadoutLine, SamplesLieWhereTheyWereTaken) {
  Index ways = 0;
  for (const Kind kind : {Kind::lines, Kind::golden, Kind::uniform})
    for (const Index samples : {16, 17})
      for (const Index encoded : {samples, samples + 5, samples - 5})
        for (const Index echo : {samples / 2, samples / 2 - 3, samples / 2 + 1})
          for (const auto& [pre, post] : {std::pair<Index, Index>{0, 0}, {2, 0}, {1, 3}})
            for (const Index partitions : {1, 3})
              for (const int reversed : {-1, 0, 1, 2}) {
                Sampling way{kind, samples, echo, {encoded, 13, partitions}, {240, 180, 6}, pre, post};
                way.alternate = reversed >= 0;
                if (way.alternate) way.reversed = static_cast<Reversed>(reversed);
                EXPECT_LT(distance(way), 1e-12) << way.text();
                ++ways;
              }
  EXPECT_EQ(ways, 3 * 2 * 3 * 3 * 3 * 2 * 4);
}

TEST(ReadoutLine, OversamplingThatTheMatrixLeavesOut) {
  for (const Kind kind : {Kind::lines, Kind::golden, Kind::uniform})
    for (const Index samples : {32, 33})
      for (const Index ratio : {2, 4})
        for (const Index echo : {samples / 2, samples / 2 - 6}) {
          Sampling way{kind, samples, echo, {(2 * std::max(echo, samples - echo)) / ratio, 13, 1}};
          way.oversampling = static_cast<double>(ratio);
          EXPECT_LT(distance(way), 1e-12) << way.text() << ", oversampled " << ratio << " times";
        }
}

TEST(ReadoutLine, SpokesThatBeginAtTheCentre) {
  for (const Index samples : {8, 9, 11})
    for (const Index partitions : {1, 3})
      for (const Index pre : {0, 1})
        for (const bool alternate : {false, true}) {
          Sampling way{Kind::centre_out, samples, 0, {18, 13, partitions}, {240, 180, 6}, pre, 0, alternate};
          EXPECT_LT(distance(way), 1e-12) << way.text();
        }
}

TEST(ReadoutLine, CentreLeftEmptyIsTheMiddle) {
  Sampling way;
  Sampled truth = sampled(way);
  for (Readout& readout : truth.scan.readouts) readout.header.center_sample = 0;
  const ScanPlan plan = planned(way, truth.scan);
  EXPECT_FALSE(plan.convention.zero_is_first);
  EXPECT_DOUBLE_EQ(load_trajectory(plan, 0).trajectory[0], -0.5);
}

TEST(ReadoutLine, WhatContradictsIsNamed) {
  Sampling way;
  Sampled truth = sampled(way);
  truth.scan.readouts[3].header.center_sample = 5;
  EXPECT_THAT(planned(way, truth.scan).warnings, testing::Contains(HasSubstr("5 in readout 3")));
  truth.scan.readouts[3].header.center_sample = 77;
  EXPECT_THAT(planned(way, truth.scan).warnings, testing::Contains(HasSubstr("beyond their samples")));
  way.alternate = true;
  way.reversed = Reversed::from_end;
  way.echo = 4;
  EXPECT_THAT(planned(way, sampled(way).scan).notes, testing::Contains(HasSubstr("counted from the end")));
}

TEST(ReadoutLine, ObjectsLargerThanTheFieldOfViewAreWarnedOf) {
  // Twice the field of view is sampled; the larger object fills it.
  for (const bool small : {false, true}) {
    Sampling way{Kind::golden, 32, 16, {32, 32, 1}, {480, 480, 6}};
    if (small) {
      way.matrix = {16, 16, 1};
      way.fov_mm = {240, 240, 6};
      way.oversampling = 2;
    }
    Scan scan = sampled(way).scan;
    Encoding& encoding = scan.encodings[0];
    encoding.encoded_matrix = {32, 32, 1};
    encoding.encoded_fov_mm = {480, 480, 6};
    encoding.recon_matrix = {16, 16, 1};
    encoding.recon_fov_mm = {240, 240, 6};
    PrepareOptions options;
    options.generate = GeneratedTrajectory::golden;
    const auto larger = testing::Contains(HasSubstr("larger than the field of view"));
    const auto warnings = [&] {
      ScanPlan plan = plan_scan(scan, options);
      warn_of_larger_object(scan, plan);
      return plan.warnings;
    };
    EXPECT_THAT(warnings(), testing::Not(larger)) << "all that is seen is solved on";
    options.grid.solve_fov = 1;
    if (small)
      EXPECT_THAT(warnings(), testing::Not(larger));
    else
      EXPECT_THAT(warnings(), larger);
  }
}

TEST(ReadoutLine, NothingIsSolvedForWhereReadoutsSeeNothing) {
  const auto grid = [](Kind kind, Index partitions, bool small, bool shifted) {
    // Twice the field of view of the image is sampled; the larger object fills it.
    Sampling way{kind, 64, 32, {64, 64, partitions}, {480, 480, 6}};
    if (kind == Kind::centre_out) way.samples = 32, way.echo = 0;
    if (small) {
      way.matrix = {32, 32, partitions};
      way.fov_mm = {160, 160, 6};
      way.oversampling = 3;
    }
    Scan scan = sampled(way).scan;
    Encoding& encoding = scan.encodings[0];
    encoding.encoded_matrix = {64, 64, partitions};
    encoding.encoded_fov_mm = {480, 480, 6};
    encoding.recon_matrix = {32, 32, partitions / 2 + 1};
    encoding.recon_fov_mm = {240, 240, partitions > 1 ? 3.0 : 6.0};
    PrepareOptions options;
    options.generate = kind == Kind::uniform ? GeneratedTrajectory::uniform : GeneratedTrajectory::golden;
    options.apply_fov_shift = shifted;
    return plan_scan(scan, options).grids.solve.matrix;
  };
  using Matrix = std::array<Index, 3>;
  for (const Kind kind : {Kind::golden, Kind::uniform, Kind::centre_out}) {
    EXPECT_EQ(grid(kind, 1, true, false), (Matrix{32, 32, 1})) << static_cast<int>(kind);
    EXPECT_EQ(grid(kind, 1, false, false), (Matrix{64, 64, 1})) << static_cast<int>(kind);
    EXPECT_EQ(grid(kind, 1, true, true), (Matrix{64, 64, 1})) << "the image has another centre";
  }
  EXPECT_EQ(grid(Kind::golden, 2, true, false), (Matrix{32, 32, 4})) << "planes of a stack";
}

TEST(ReadoutLine, SamplesBeyondTheMatrixAreAWarningWithTheirShare) {
  Sampling way{Kind::golden, 32, 16, {16, 16, 1}, {240, 240, 6}};
  EXPECT_THAT(planned(way, sampled(way).scan).warnings,
              testing::Contains(testing::AllOf(HasSubstr("43 %"), HasSubstr("a matrix of 32×32"))));
}

}  // namespace
}  // namespace larmor
