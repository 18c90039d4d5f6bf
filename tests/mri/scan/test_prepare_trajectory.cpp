#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/scan/described_trajectory.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include "mri/synthetic_scan.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <numbers>

namespace larmor {
namespace {

using test::add_readout;
using test::empty_scan;
using test::error_of;
using test::fault_of;
using test::spoke;
using test::values;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Readouts of `samples` ones without a trajectory.
Scan bare_scan(Index readouts, Index samples, std::array<Index, 3> matrix = {8, 8, 1}) {
  Scan scan = empty_scan(matrix, {8, 8, 8}, "goldenangle");
  for (Index r = 0; r < readouts; ++r)
    add_readout(scan, {}, 0, 1, {}, samples).encode_step_1 = static_cast<std::uint16_t>(r);
  return scan;
}

std::vector<double> coordinates(const ScanPlan& plan, std::size_t image = 0) {
  const auto data = load_trajectory(plan, image);
  return {data.trajectory.begin(), data.trajectory.end()};
}

TEST(Layout, ThirdColumnOfASliceIsAWeightWhenNeverNegative) {
  Scan scan = empty_scan({8, 8, 1}, {8, 8, 5});
  add_readout(scan, {0.5F, 0, 0.3F, 0.1F, 0, 0}, 3);
  const auto plan = plan_scan(scan, {});
  EXPECT_EQ(plan.dims, 2);
  EXPECT_THAT(plan.layout.text, HasSubstr("kx,ky,weight"));
  const auto data = load_trajectory(plan, 0);
  EXPECT_EQ(values(data.weights), (std::vector<double>{0.3F, 0}));
}

TEST(Layout, ConstantThirdColumnIsIgnored) {
  Scan scan = empty_scan({8, 8, 1}, {8, 8, 5});
  add_readout(scan, {0.5F, 0, 0, 0.1F, 0, 0}, 3);
  const auto plan = plan_scan(scan, {});
  EXPECT_EQ(plan.dims, 2);
  EXPECT_EQ(plan.layout.weight_column, -1);
}

TEST(Layout, NegativeThirdColumnOfASliceMustBeExplained) {
  Scan scan = empty_scan({8, 8, 1}, {8, 8, 5});
  add_readout(scan, {0.5F, 0, -0.1F, 0.1F, 0, 0}, 3);
  EXPECT_THAT(fault_of([&] { plan_scan(scan, {}); }), StartsWith("3 traj_layout: "));
  PrepareOptions options;
  options.columns = {TrajectoryColumn::kx, TrajectoryColumn::ky, TrajectoryColumn::ignore};
  EXPECT_EQ(plan_scan(scan, options).dims, 2);
}

/// A slice of spokes with a third column; samples 4 µs apart.
Scan with_third_column(const std::function<double(Index readout, Index sample, double k)>& third,
                       bool centre_out = false) {
  Scan scan = empty_scan({8, 8, 1}, {8, 8, 5});
  for (Index r = 0; r < 3; ++r) {
    std::vector<float> columns;
    for (Index j = 0; j < 8; ++j) {
      const double k = static_cast<double>(centre_out ? j : j - 4) / 16, angle = static_cast<double>(r);
      for (const double value : {k * std::cos(angle), k * std::sin(angle), third(r, j, std::abs(k))})
        columns.push_back(static_cast<float>(value));
    }
    add_readout(scan, columns, 3);
  }
  return scan;
}

TEST(Layout, ThirdColumnThatGrowsByTheDwellTimeHoldsTimes) {
  PrepareOptions options;
  options.units = TrajectoryUnits::normalised;
  options.sample_times = true;
  for (const double per_us : {1e-6, 1e-3, 1.0}) {
    const Scan scan = with_third_column(
        [&](Index r, Index j, double) { return per_us * static_cast<double>(100 * r + 4 * j - 7); });
    const auto plan = plan_scan(scan, options);
    EXPECT_EQ(plan.layout.time_column, 2) << per_us;
    EXPECT_NEAR(load_trajectory(plan, 0).times[17], 197e-6, 1e-9) << per_us;
  }
}

TEST(Layout, ThirdColumnThatIsZeroButForRoundingIsNoWeight) {
  PrepareOptions options;
  options.units = TrajectoryUnits::normalised;
  const auto plan = plan_scan(
      with_third_column([](Index r, Index j, double) { return 1e-9 * static_cast<double>(r * j % 3); }),
      options);
  EXPECT_EQ(plan.layout.weight_column, -1);
  EXPECT_THAT(plan.layout.text, HasSubstr("constant third"));
}

TEST(Layout, ThirdColumnThatMayBeTimesOrWeightsMustBeExplained) {
  PrepareOptions options;
  options.units = TrajectoryUnits::normalised;
  const auto growing = [](Index, Index j, double) { return static_cast<double>(j + 1); };
  EXPECT_THAT(fault_of([&] { plan_scan(with_third_column(growing, true), options); }),
              StartsWith("3 traj_layout: "));
  // As required for the density of spokes.
  for (const bool centre_out : {false, true}) {
    const auto ramp =
        plan_scan(with_third_column([](Index, Index, double k) { return 3 * k; }, centre_out), options);
    EXPECT_EQ(ramp.layout.weight_column, 2);
  }
}

TEST(Layout, FlatKzOfAnEncodedZIsASlice) {
  Scan scan = with_third_column([](Index, Index, double) { return 0; });
  PrepareOptions options;
  options.units = TrajectoryUnits::normalised;
  for (const Index z : {2, 32}) {
    scan.encodings[0].encoded_matrix[2] = scan.encodings[0].recon_matrix[2] = z;
    EXPECT_EQ(plan_scan(scan, options).dims, 2) << z;
  }
}

TEST(Layout, ThirdColumnOfAVolumeIsKz) {
  Scan scan = empty_scan({8, 8, 4}, {8, 8, 8});
  add_readout(scan, {0.5F, 0, 0.3F, 0.1F, 0, 0}, 3);
  const auto plan = plan_scan(scan, {});
  EXPECT_EQ(plan.dims, 3);
  EXPECT_EQ(coordinates(plan), (std::vector<double>{0.5, 0, 0.3F, 0.1F, 0, 0}));
}

TEST(Layout, FourColumnsNeedWords) {
  Scan scan = empty_scan({8, 8, 4}, {8, 8, 8});
  add_readout(scan, {7, 0.5F, 0.25F, 0.125F, 8, 0.1F, 0, 0}, 4);
  EXPECT_THAT(fault_of([&] { plan_scan(scan, {}); }), StartsWith("3 traj_layout: trajectory has 4 columns"));
  using enum TrajectoryColumn;
  PrepareOptions options;
  options.columns = {time, kx, ky, kz};
  const ScanPlan plan = plan_scan(scan, options);
  EXPECT_EQ(coordinates(plan), (std::vector<double>{0.5, 0.25, 0.125, 0.1F, 0, 0}));
  EXPECT_THAT(plan.layout.text, HasSubstr("time,kx,ky,kz as requested"));
  const std::vector<std::vector<TrajectoryColumn>> wrong{
      {kx, ky, kz}, {kx, kx, ky, kz}, {kz, time, ignore, kx}, {weight, weight, kx, ky}};
  for (const auto& columns : wrong) {
    options.columns = columns;
    EXPECT_THAT(fault_of([&] { plan_scan(scan, options); }), StartsWith("2 traj_layout: "));
  }
}

TEST(Layout, ReadoutsMustHaveEqualDimensions) {
  Scan scan = empty_scan({8, 8, 1}, {8, 8, 5});
  add_readout(scan, spoke(0, 8), 2);
  add_readout(scan, {}, 0, 1, {}, 8);
  EXPECT_EQ(error_of([&] { plan_scan(scan, {}); }),
            "3: readout 1 has 0 trajectory dimensions, but readout 0 has 2");
}

TEST(Stack, KzComesFromTheEncodingStep) {
  Scan scan = empty_scan({8, 8, 4}, {8, 8, 8}, "radial");
  for (std::uint16_t z = 0; z < 4; ++z) add_readout(scan, {0.5F, 0.25F}, 2).encode_step_2 = z;
  auto plan = plan_scan(scan, {});
  EXPECT_EQ(plan.dims, 3);
  EXPECT_TRUE(plan.layout.stack);
  EXPECT_THAT(coordinates(plan),
              ElementsAre(0.5, 0.25, -0.5, 0.5, 0.25, -0.25, 0.5, 0.25, 0, 0.5, 0.25, 0.25));
  scan.encodings[0].center_step_2 = 1;  // asymmetric: 1 before, 2 after
  plan = plan_scan(scan, {});
  EXPECT_EQ(plan.layout.stack_centre, 1);
  EXPECT_DOUBLE_EQ(coordinates(plan)[2], -0.25);
  scan.encodings[0].center_step_2 = 0;  // would put step 3 at 0.75: not a centre
  EXPECT_EQ(plan_scan(scan, {}).layout.stack_centre, 2);
}

TEST(Stack, OnePartitionIsASlice) {
  Scan scan = empty_scan({8, 8, 4}, {8, 8, 8});
  add_readout(scan, spoke(0, 8), 2).encode_step_2 = 3;
  const auto plan = plan_scan(scan, {});
  EXPECT_EQ(plan.dims, 2);
  EXPECT_DOUBLE_EQ(plan.grids.recon.fov_mm[2], 2);
  EXPECT_THAT(plan.layout.text, HasSubstr("slices, not a stack"));
}

TEST(Generate, NothingIsGuessed) {
  const Scan scan = bare_scan(3, 8);
  const std::string error = fault_of([&] { plan_scan(scan, {}); });
  EXPECT_THAT(error, StartsWith("3 trajectory,generate: no trajectory in the file"));
  EXPECT_THAT(error, HasSubstr("give one"));
}

TEST(Generate, SpokesTurnByTheirNumber) {
  Scan scan = bare_scan(5, 8);
  PrepareOptions options;
  for (const auto& [generate, order] : {std::pair{GeneratedTrajectory::golden, SpokeOrder::golden},
                                        {GeneratedTrajectory::tiny_golden, SpokeOrder::tiny_golden},
                                        {GeneratedTrajectory::uniform, SpokeOrder::uniform}}) {
    options.generate = generate;
    const char* name = to_string(generate);
    RadialOptions radial;
    radial.spokes = 5;
    radial.order = order;
    const auto k = coordinates(plan_scan(scan, options));
    for (Index s = 0; s < 5; ++s) {
      // The first sample of a spoke lies at −0.5.
      EXPECT_NEAR(k[static_cast<std::size_t>(16 * s)], -0.5 * std::cos(spoke_angle(s, radial)), 1e-12)
          << name;
      EXPECT_NEAR(k[static_cast<std::size_t>(16 * s + 1)], -0.5 * std::sin(spoke_angle(s, radial)), 1e-12)
          << name;
      EXPECT_NEAR(k[static_cast<std::size_t>(16 * s + 8)], 0, 1e-12) << name;
    }
  }
}

TEST(Generate, EncodingStepsThatRepeatAreCountedInstead) {
  Scan scan = bare_scan(3, 4);
  for (auto& readout : scan.readouts) readout.header.encode_step_1 = 0;
  PrepareOptions options;
  options.generate = GeneratedTrajectory::uniform;
  const auto k = coordinates(plan_scan(scan, options));
  // Samples 2/4 from the echo, in steps of 1/8 cycles per pixel.
  EXPECT_NEAR(k[8 * 2], -0.25 * std::cos(2 * std::numbers::pi / 3), 1e-12);
}

TEST(Generate, ReverseAndAsymmetricReadouts) {
  Scan scan = bare_scan(2, 8);
  scan.readouts[1].header.encode_step_1 = 0;
  scan.readouts[1].header.segment = 1;
  scan.readouts[1].header.set(AcquisitionFlag::reverse);
  for (Readout& readout : scan.readouts) readout.header.center_sample = 4;
  for (std::size_t j = 0; j < 8; ++j) scan.data[j] = scan.data[8 + 7 - j] = j == 4 ? 9 : 1;
  PrepareOptions options;
  options.generate = GeneratedTrajectory::golden;
  auto k = coordinates(plan_scan(scan, options));
  for (std::size_t j = 0; j < 8; ++j) EXPECT_DOUBLE_EQ(k[2 * j], k[16 + 2 * (7 - j)]);
  // Echo at sample 2 of 8: samples stay 1/FOV apart, and the last is beyond the edge.
  scan.readouts[0].header.center_sample = 2;
  scan.readouts[0].header.discard_post = 2;
  k = coordinates(plan_scan(scan, options));
  EXPECT_DOUBLE_EQ(k[0], -2.0 / 8);
  EXPECT_DOUBLE_EQ(k[10], 3.0 / 8);
}

TEST(Generate, CartesianLines) {
  Scan scan = bare_scan(8, 8);
  PrepareOptions options;
  options.generate = GeneratedTrajectory::cartesian;
  const auto k = coordinates(plan_scan(scan, options));
  for (std::size_t y = 0; y < 8; ++y)
    for (std::size_t x = 0; x < 8; ++x) {
      EXPECT_DOUBLE_EQ(k[2 * (8 * y + x)], (static_cast<double>(x) - 4) / 8);
      EXPECT_DOUBLE_EQ(k[2 * (8 * y + x) + 1], (static_cast<double>(y) - 4) / 8);
    }
}

TEST(Generate, StackOfGoldenAngles) {
  Scan scan = bare_scan(4, 8, {8, 8, 2});
  for (std::size_t i = 0; i < 4; ++i) {
    scan.readouts[i].header.encode_step_1 = static_cast<std::uint16_t>(i / 2);
    scan.readouts[i].header.encode_step_2 = static_cast<std::uint16_t>(i % 2);
  }
  PrepareOptions options;
  options.generate = GeneratedTrajectory::golden;
  const auto plan = plan_scan(scan, options);
  EXPECT_EQ(plan.dims, 3);
  const auto k = coordinates(plan);
  EXPECT_DOUBLE_EQ(k[0], k[24]);  // both partitions of spoke 0
  EXPECT_DOUBLE_EQ(k[2], -0.5);
  EXPECT_DOUBLE_EQ(k[26], 0);
}

TEST(External, OneRowForEverySampleInTheFilesOrder) {
  Scan scan = bare_scan(3, 4);
  scan.readouts[0].header.set(AcquisitionFlag::navigation);
  scan.readouts[2].header.counters.slice = 1;
  std::vector<double> rows;
  for (int i = 0; i < 16; ++i) rows.push_back(-0.5 + 0.0625 * i);
  PrepareOptions options;
  options.trajectory = SharedArray<double>::borrowed(View<const double>(rows.data(), {2, 4, 2}));
  auto plan = plan_scan(scan, options);
  EXPECT_EQ(coordinates(plan, 1), std::vector<double>(rows.begin() + 8, rows.end()));
  // The same array works for a selection.
  options.slice = {1, 2};
  plan = plan_scan(scan, options);
  EXPECT_EQ(coordinates(plan, 0), std::vector<double>(rows.begin() + 8, rows.end()));
  // One image's rows serve all images.
  options.slice = {};
  options.trajectory = SharedArray<double>::borrowed(View<const double>(rows.data(), {4, 2}));
  plan = plan_scan(scan, options);
  EXPECT_EQ(plan.coordinates->distinct(), 1U);
  EXPECT_EQ(coordinates(plan, 1), std::vector<double>(rows.begin(), rows.begin() + 8));
  options.trajectory = SharedArray<double>::borrowed(View<const double>(rows.data(), {7, 2}));
  EXPECT_EQ(
      fault_of([&] { plan_scan(scan, options); }),
      "3 trajectory: trajectory has 7 rows, expected one for each of the 8 samples of 2 imaging readouts, or "
      "for those of "
      "one of 2 images");
}

TEST(External, RowsMayIncludeDiscardedSamples) {
  Scan scan = bare_scan(2, 4);
  for (auto& readout : scan.readouts) readout.header.discard_pre = 1;
  std::vector<double> rows(16, 0.0);
  for (std::size_t i = 0; i < 8; ++i) rows[2 * i] = -0.5 + 0.1 * static_cast<double>(i);
  PrepareOptions options;
  options.trajectory = SharedArray<double>::borrowed(View<const double>(rows.data(), {8, 2}));
  const auto k = coordinates(plan_scan(scan, options));
  EXPECT_EQ(k.size(), 12U);
  EXPECT_DOUBLE_EQ(k[0], rows[2]);
  EXPECT_DOUBLE_EQ(k[6], rows[10]);
}

TEST(External, WeightsAreReadAlongAndChecked) {
  Scan scan = empty_scan({8, 8, 1}, {8, 8, 5});
  add_readout(scan, {0.5F, 0, 0.1F, 0, 0, 0}, 2);
  std::vector<double> weights{1, 2, 3};
  PrepareOptions options;
  options.weights = SharedArray<double>::borrowed(View<const double>(weights.data(), {3}));
  EXPECT_THAT(values(load_trajectory(plan_scan(scan, options), 0).weights), ElementsAre(1, 2, 3));
  weights[1] = -1;
  EXPECT_THAT(error_of([&] { plan_scan(scan, options); }),
              HasSubstr("density weight of readout 0, sample 1 is -1"));
}

TEST(Hargreaves, SpiralKeepsItsLimits) {
  Scan scan = bare_scan(4, 4000, {64, 64, 1});
  scan.encodings[0].encoded_fov_mm = scan.encodings[0].recon_fov_mm = {240, 240, 5};
  scan.encodings[0].trajectory_identifier = "HargreavesVDS2000";
  EXPECT_THAT(fault_of([&] { plan_scan(scan, {}); }),
              testing::AllOf(StartsWith("3 trajectory: "), HasSubstr("interleaves")));
  scan.encodings[0].trajectory_parameters = {{"interleaves", 4},
                                             {"fov_coefficients", 1},
                                             {"SamplingTime_ns", 4000},
                                             {"MaxGradient_G_per_cm", 2.4},
                                             {"MaxSlewRate_G_per_cm_per_s", 14414},
                                             {"FOVCoeff_1_cm", 24},
                                             {"krmax_per_cm", 64 / 2 / 24.0}};
  const auto k = hargreaves_spiral(scan.encodings[0]);
  const auto samples = k.size() / 2;
  const double dwell = 4e-6, gamma = 4257.7478518;
  double gradient = 0, slew = 0, radius = 0;
  for (std::size_t j = 2; j < samples; ++j) {
    const auto point = [&](std::size_t i) { return std::complex<double>(k[2 * i], k[2 * i + 1]); };
    gradient = std::max(gradient, std::abs(point(j) - point(j - 1)) / dwell / gamma);
    slew = std::max(slew, std::abs(point(j) - 2.0 * point(j - 1) + point(j - 2)) / dwell / dwell / gamma);
    radius = std::max(radius, std::abs(point(j)));
  }
  EXPECT_LT(gradient, 2.4 * 1.01);
  EXPECT_LT(slew, 14414 * 1.05);
  EXPECT_GT(slew, 14414 * 0.9);
  EXPECT_NEAR(radius, 64 / 2 / 24.0, 0.02);
  // Neighbouring turns of the four interleaves together lie 1/FOV apart: a turn moves the radius by 4 / 24
  // cm.
  for (std::size_t j = 100; j < samples; j += 100) {
    const std::complex<double> point(k[2 * j], k[2 * j + 1]);
    const double turns = std::abs(point) * 24 / 4;
    EXPECT_LT(std::abs(point - std::polar(std::abs(point), 2 * std::numbers::pi * turns)), 1e-9);
  }

  const auto plan = plan_scan(scan, {});
  EXPECT_THAT(plan.layout.text, HasSubstr("HargreavesVDS2000"));
  const auto first = coordinates(plan);
  // cycles/cm to cycles per pixel of 3.75 mm; the second interleaf is turned by 90 degrees.
  EXPECT_NEAR(first[200], k[200] * 0.375, 1e-12);
  const std::size_t kept = first.size() / 2 / 4;
  EXPECT_NEAR(first[2 * kept + 200], -k[201] * 0.375, 1e-12);
  EXPECT_GT(plan.dropped_samples(), 0) << "readouts are longer than the spiral";
}

// 32 samples of 4 µs from 12 µs on; ramps of 40 and 24 µs, flat top of 80 µs.
Encoding echo_train_encoding() {
  Encoding encoding;
  encoding.encoded_matrix = {16, 4, 1};
  encoding.trajectory = "cartesian";
  encoding.trajectory_identifier = "ConventionalEPI";
  encoding.trajectory_parameters = {{"rampUpTime", 40}, {"flatTopTime", 80}, {"rampDownTime", 24},
                                    {"numSamples", 32}, {"dwellTime", 4},    {"acqDelayTime", 12}};
  return encoding;
}

TEST(EchoTrain, SamplesAreAlongTheRampsOfTheGradient) {
  Encoding encoding = echo_train_encoding();
  // Areas by steps of 1 ns, the gradient taken at their middles.
  const auto area_until = [](double time) {
    double area = 0;
    for (double t = 0.0005; t < time; t += 0.001)
      area += 0.001 * std::min({t / 40, 1.0, std::max(0.0, (144 - t) / 24)});
    return area;
  };
  const double centre = 0.5 * area_until(144), acquired = area_until(140) - area_until(12);
  const auto positions = positions_in_lobe(encoding);
  ASSERT_EQ(positions.size(), 32u);
  for (std::size_t j = 0; j < positions.size(); ++j)
    EXPECT_NEAR(positions[j], 16 / acquired * (area_until(14 + 4 * static_cast<double>(j)) - centre), 1e-3);

  encoding.trajectory_parameters.erase("acqDelayTime");  // centred: from 8 µs on
  EXPECT_NEAR(positions_in_lobe(encoding)[0],
              16 / (area_until(136) - area_until(8)) * (area_until(10) - centre), 1e-3);
  encoding.trajectory_parameters["acqDelayTime"] = 20;
  EXPECT_THAT(fault_of([&] { positions_in_lobe(encoding); }),
              testing::AllOf(StartsWith("3 trajectory: "), HasSubstr("end after the gradient")));
  encoding.trajectory_parameters["numSamples"] = 1e12;
  EXPECT_THAT(fault_of([&] { positions_in_lobe(encoding); }), HasSubstr("more than a readout can"));
  encoding.trajectory_parameters["numSamples"] = 32;
  encoding.trajectory_parameters.erase("flatTopTime");
  EXPECT_THAT(fault_of([&] { positions_in_lobe(encoding); }), HasSubstr("lacks flatTopTime"));
}

TEST(EchoTrain, ReversedLinesAreMirrored) {
  Scan scan = bare_scan(4, 32, {16, 4, 1});
  const Vec3 fov = scan.encodings[0].encoded_fov_mm;
  scan.encodings[0] = echo_train_encoding();
  scan.encodings[0].encoded_fov_mm = scan.encodings[0].recon_fov_mm = fov;
  scan.encodings[0].recon_matrix = scan.encodings[0].encoded_matrix;
  scan.encodings[0].center_step_1 = 2;
  scan.encodings[0].trajectory_parameters["echoSpacing"] = 180;
  for (std::size_t r = 0; r < 4; ++r) {
    scan.readouts[r].header.encode_step_1 = static_cast<std::uint16_t>(r);
    if (r % 2 == 1) scan.readouts[r].header.set(AcquisitionFlag::reverse);
  }
  const auto plan = plan_scan(scan, {});
  const auto positions = positions_in_lobe(scan.encodings[0]);
  for (std::size_t r = 0; r < 4; ++r) {
    const auto k = plan.at(r).k;
    ASSERT_EQ(k.size(), 64u);
    for (std::size_t j = 0; j < 32; ++j) {
      EXPECT_NEAR(k[2 * j], (r % 2 == 1 ? -1 : 1) * positions[j] / 16, 1e-12);
      EXPECT_NEAR(k[2 * j + 1], (static_cast<double>(r) - 2) / 4, 1e-12);
    }
  }
  EXPECT_EQ(echo_spacing_ms(scan, scan.encodings[0]), 0.18);
  scan.encodings[0].trajectory_parameters["echoSpacing"] = 0.18;
  EXPECT_EQ(echo_spacing_ms(scan, scan.encodings[0]), 0.18);
  scan.readouts[3].header.samples = 30;
  EXPECT_THAT(fault_of([&] { plan_scan(scan, {}); }), HasSubstr("has 30 samples, but the description"));
}

// A uniform field of one pixel per gradient moves the object by a pixel.
TEST(GradientResponse, TurnsSamplesByTheUniformField) {
  Context ctx;
  Scan scan = empty_scan({8, 8, 1}, {16, 16, 5});  // pixels of 2 mm
  add_readout(scan, spoke(0.5, 8), 2);
  auto file = filled<std::complex<double>>({13, 3}, 0.0);
  for (Index i = 0; i < 3; ++i) {
    file[i] = 1e6 * static_cast<double>(i - 1);
    file[3 + i] = 2e-3;                                        // B0 of x, in m
    for (const Index row : {2, 7, 12}) file[3 * row + i] = 1;  // gradients of their own axes
  }
  PrepareOptions options;
  options.whiten = false;
  options.gradient_response = std::move(file);
  const ScanPlan plan = plan_scan(scan, options);
  const PreparedImage image = load_image(scan, plan, plan_channels(scan, plan, ctx, options), 0, ctx);
  ASSERT_GE(image.samples.size(), 7);
  for (Index j = 0; j < image.samples.size(); ++j) {
    const auto expected = std::polar(1.0, 2 * std::numbers::pi * image.trajectory[2 * j]);
    EXPECT_NEAR(std::abs(std::complex<double>(image.samples[j]) - expected), 0, 1e-5) << j;
  }
}

// A low pass of the gradients, and a uniform field of the x gradient.
TEST(GradientResponse, OfASimulatedScanIsCorrected) {
  Context ctx;
  constexpr Index bins = 1001;
  Array<std::complex<double>> file = filled<std::complex<double>>({13, bins}, 0.0);
  for (Index i = 0; i < bins; ++i) {
    const double hz = 4e5 * (static_cast<double>(i) / (bins - 1) - 0.5);
    file[i] = hz;
    file[bins + i] = std::complex<double>(0, 0.02 * hz) / std::complex<double>(2e3, hz);
    for (const Index row : {2, 7, 12}) file[row * bins + i] = 1.0 / std::complex<double>(1, hz / 4e4);
  }
  SimulationOptions simulated{
      .trajectory = SimulatedTrajectory::spiral, .matrix = {48, 48, 1}, .coils = 4, .readouts = 6};
  const SharedArray<std::complex<double>> response(std::move(file));
  simulated.gradient_response = response;
  const Simulation simulation = simulate_scan(simulated, ctx);
  const auto error_with = [&](const SharedArray<std::complex<double>>& given) {
    ReconstructOptions options;
    options.coils.maps = simulation.maps.view();
    options.prepare.gradient_response = given;
    const auto found = reconstruct(simulation.scan, options, ctx);
    return test::relative_difference(found.series.images[0].pixels, simulation.truth);
  };
  const double corrected = error_with(response), distorted = error_with({});
  EXPECT_LT(corrected, 0.15);
  EXPECT_LT(corrected, 0.3 * distorted);
}

}  // namespace
}  // namespace larmor
