#include <larmor/mri/scan/grids.hpp>

#include "mri/synthetic_scan.hpp"

#include <gmock/gmock.h>

namespace larmor {
namespace {

using test::error_of;
using test::fault_of;
using testing::HasSubstr;
using testing::StartsWith;
using Matrix = std::array<Index, 3>;

Encoding encoding(Matrix encoded, Vec3 encoded_fov, Matrix recon, Vec3 recon_fov,
                  const char* trajectory = "radial") {
  Encoding result = test::empty_scan(encoded, encoded_fov, trajectory).encodings[0];
  result.recon_matrix = recon;
  result.recon_fov_mm = recon_fov;
  return result;
}

TEST(Grids, SolveCoversWhatWasEncoded) {
  const auto grids = plan_grids(encoding({480, 480, 1}, {480, 480, 5}, {240, 240, 1}, {240, 240, 5}), false,
                                false, false, {});
  EXPECT_EQ(grids.solve.matrix, (Matrix{480, 480, 1}));
  EXPECT_EQ(grids.recon_shape(), (Shape{240, 240}));
  EXPECT_DOUBLE_EQ(grids.k_scale[0], 1);
  EXPECT_DOUBLE_EQ(grids.solve.pixel(0), grids.recon.pixel(0));
}

TEST(Grids, ReadoutOversamplingIsNotARadialGrid) {
  // Oversampled in x only: a spoke sees the larger field of view in every direction, a Cartesian line along x
  // only.
  const auto turned = plan_grids(encoding({256, 128, 1}, {600, 300, 5}, {128, 128, 1}, {300, 300, 5}), false,
                                 false, false, {});
  EXPECT_EQ(turned.solve.matrix, (Matrix{256, 256, 1}));
  const auto lines =
      plan_grids(encoding({256, 128, 1}, {600, 300, 5}, {128, 128, 1}, {300, 300, 5}, "cartesian"), false,
                 false, true, {});
  EXPECT_EQ(lines.solve.matrix, (Matrix{256, 128, 1}));
}

TEST(Grids, CoordinatesScaleWithThePixelOfEveryAxis) {
  const auto grids = plan_grids(encoding({100, 100, 1}, {200, 300, 5}, {50, 200, 1}, {200, 300, 5}), false,
                                false, false, {});
  EXPECT_DOUBLE_EQ(grids.k_scale[0], 2);    // 4 mm instead of 2
  EXPECT_DOUBLE_EQ(grids.k_scale[1], 0.5);  // 1.5 mm instead of 3
}

TEST(Grids, LargerReconMatrixAtEqualFieldOfViewIsInterpolation) {
  const auto grids = plan_grids(encoding({101, 101, 1}, {232, 232, 1}, {102, 102, 1}, {232, 232, 1}), false,
                                false, false, {});
  EXPECT_EQ(grids.solve.matrix, (Matrix{102, 102, 1}));
  EXPECT_DOUBLE_EQ(grids.k_scale[0], 101.0 / 102);
}

TEST(Grids, OddSizesKeepThePixel) {
  const auto grids =
      plan_grids(encoding({150, 150, 1}, {150, 150, 5}, {99, 99, 1}, {99, 99, 5}), false, false, false, {});
  EXPECT_EQ(grids.solve.matrix, (Matrix{150, 150, 1}));
  EXPECT_DOUBLE_EQ(grids.solve.fov_mm[0], 150);
}

TEST(Grids, VolumesSolveOnAnOversampledZ) {
  const auto file = encoding({64, 64, 40}, {64, 64, 80}, {64, 64, 20}, {64, 64, 40});
  EXPECT_EQ(plan_grids(file, true, false, false, {}).solve.matrix, (Matrix{64, 64, 40}));
  EXPECT_EQ(plan_grids(file, true, false, false, {}).solve_shape(), (Shape{40, 64, 64}));
}

TEST(Grids, SolveFactorMultipliesReconAndLeavesPlanesAlone) {
  const auto file = encoding({64, 64, 20}, {64, 64, 40}, {64, 64, 20}, {64, 64, 40});
  GridOptions options;
  options.solve_fov = 1.5;
  EXPECT_EQ(plan_grids(file, true, false, false, options).solve.matrix, (Matrix{96, 96, 30}));
  EXPECT_EQ(plan_grids(file, true, true, false, options).solve.matrix, (Matrix{96, 96, 20}));
  options.solve_fov = 0.5;
  EXPECT_THAT(fault_of([&] { plan_grids(file, true, false, false, options); }),
              StartsWith("2 solve_fov: 0.5"));
}

TEST(Grids, MissingReconSpaceIsTheEncodedOne) {
  Encoding file = encoding({64, 64, 1}, {64, 64, 5}, {0, 0, 0}, {0, 0, 0});
  file.has_recon_space = false;
  const auto grids = plan_grids(file, false, false, false, {});
  EXPECT_EQ(grids.recon.matrix, (Matrix{64, 64, 1}));
  EXPECT_THAT(grids.notes, testing::Contains(HasSubstr("no reconSpace")));
}

TEST(Grids, OverridesReplaceRecon) {
  const auto file = encoding({64, 64, 1}, {64, 64, 5}, {64, 64, 1}, {64, 64, 5});
  GridOptions options;
  options.matrix = {32};
  options.fov_mm = {48, 40};
  const auto grids = plan_grids(file, false, false, false, options);
  EXPECT_EQ(grids.recon.matrix, (Matrix{32, 32, 1}));
  EXPECT_EQ(grids.recon.fov_mm, (Vec3{48, 40, 5}));
  EXPECT_EQ(grids.encoded.fov_mm, (Vec3{64, 64, 5}));
  EXPECT_EQ(grids.solve.matrix[0], 52);  // 64 mm / 40 mm of 32 pixels, rounded up: x follows y's oversampling
  options.matrix = {70000};
  EXPECT_THAT(fault_of([&] { plan_grids(file, false, false, false, options); }), StartsWith("2 matrix: "));
  options.matrix = {32, 32, 1, 1};
  EXPECT_THAT(error_of([&] { plan_grids(file, false, false, false, options); }), HasSubstr("4 values"));
  options.matrix = {32, 32, 4};
  EXPECT_THAT(fault_of([&] { plan_grids(file, false, false, false, options); }),
              StartsWith("2 matrix: 4 along z"));
  const auto counted = encoding({64, 64, 20}, {64, 64, 100}, {64, 64, 20}, {64, 64, 100});
  for (const Index z : {1, 20}) {
    options.matrix = {32, 32, z};
    EXPECT_EQ(plan_grids(counted, false, false, false, options).recon.fov_mm[2], 5)
        << "a slice is as thick as before";
  }
  options.matrix = {};
  options.fov_mm = {-1};
  EXPECT_THAT(fault_of([&] { plan_grids(file, false, false, false, options); }), StartsWith("2 fov: "));
}

TEST(Grids, FieldsOfViewThatCannotBeNameTheRemedy) {
  const auto with_fov = [](Vec3 fov) { return encoding({64, 64, 1}, fov, {64, 64, 1}, fov); };
  for (const Vec3& fov : {Vec3{0, 0, 0}, Vec3{NAN, 200, 5}, Vec3{-3, 200, 5}, Vec3{INFINITY, 200, 5}}) {
    const std::string error = fault_of([&] { plan_grids(with_fov(fov), false, false, false, {}); });
    EXPECT_THAT(error, StartsWith("3 fov: encoded field of view is"));
  }
  EXPECT_THAT(error_of([&] {
                plan_grids(with_fov({0.2323, 0.2323, 1}), false, false, false, {});
              }),
              HasSubstr("looks like metres; give it in mm, for example 232.3,232.3,1"));
}

TEST(Grids, FieldOfViewOptionMakesUpForTheEncodedOne) {
  GridOptions options;
  options.fov_mm = {240};
  // The file has no field of view: the given one is used for both.
  const auto zero =
      plan_grids(encoding({64, 64, 1}, {0, 0, 0}, {64, 64, 1}, {0, 0, 0}), false, false, false, options);
  EXPECT_EQ(zero.encoded.fov_mm[0], 240);
  EXPECT_EQ(zero.solve.matrix, (Matrix{64, 64, 1}));
  // Metres: the file's proportions are kept.
  const auto metres =
      plan_grids(encoding({128, 128, 1}, {0.48, 0.48, 0.005}, {64, 64, 1}, {0.24, 0.24, 0.005}), false, false,
                 false, options);
  EXPECT_DOUBLE_EQ(metres.encoded.fov_mm[0], 480);
  EXPECT_EQ(metres.solve.matrix, (Matrix{128, 128, 1}));
}

TEST(Grids, SliceThicknessMayBeMissing) {
  const auto grids =
      plan_grids(encoding({64, 64, 1}, {128, 128, 0}, {64, 64, 1}, {128, 128, 0}), false, false, false, {});
  EXPECT_DOUBLE_EQ(grids.recon.fov_mm[2], 2);
  EXPECT_EQ(grids.warnings.size(), 1U);
  EXPECT_THAT(
      error_of([&] {
        plan_grids(encoding({64, 64, 8}, {128, 128, 0}, {64, 64, 8}, {128, 128, 0}), true, false, false, {});
      }),
      HasSubstr("along z"));
}

TEST(Grids, MatricesMustFitSixteenBits) {
  for (const Index n : {Index{0}, Index{-4}, Index{65536}})
    EXPECT_THAT(
        error_of([&] {
          plan_grids(encoding({n, 64, 1}, {64, 64, 5}, {64, 64, 1}, {64, 64, 5}), false, false, false, {});
        }),
        StartsWith("3: encoded matrix is"));
}

TEST(Grids, ImplausibleOversamplingIsRefused) {
  EXPECT_THAT(
      error_of([] {
        plan_grids(encoding({64, 64, 1}, {1e9, 1e9, 5}, {64, 64, 1}, {64, 64, 5}), false, false, false, {});
      }),
      HasSubstr("factor to solve on"));
}

TEST(Grids, MapsHaveTheReconOrTheSolveGrid) {
  const auto file = encoding({480, 480, 1}, {480, 480, 5}, {240, 240, 1}, {240, 240, 5});
  const auto grids = plan_grids(file, false, false, false, {});
  require_maps_grid(grids, {480, 480});
  require_maps_grid(grids, {240, 240});
  EXPECT_EQ(grids.solve.matrix[0], 480);
  EXPECT_THAT(error_of([&] {
                require_maps_grid(grids, {480, 240});
              }),
              StartsWith("3: coil maps have [480, 240] pixels"));
}

TEST(Cropped, CentreStaysCentre) {
  for (const auto& [from, to] : {std::pair<Index, Index>{8, 4}, {8, 5}, {9, 4}, {9, 5}, {7, 7}}) {
    Array<std::complex<float>> image = filled(Shape{from, from + 2}, std::complex<float>(0));
    image[(from / 2) * (from + 2) + (from + 2) / 2] = 1;
    const auto part = cropped<std::complex<float>>(image, {to, to});
    EXPECT_EQ(part.shape(), (Shape{to, to}));
    EXPECT_EQ(part[(to / 2) * to + to / 2], 1.0F) << from << " to " << to;
  }
}

TEST(Cropped, LeadingAxesStay) {
  Array<std::complex<float>> image({2, 3, 4, 5});
  for (Index i = 0; i < image.size(); ++i) image[i] = std::complex<float>(static_cast<float>(i));
  const auto part = cropped<std::complex<float>>(image, {1, 2, 3});
  EXPECT_EQ(part.shape(), (Shape{2, 1, 2, 3}));
  // First element of the second coil: z 1, y from 1, x from 1.
  EXPECT_EQ(part[6], image[((1 * 3 + 1) * 4 + 1) * 5 + 1]);
  EXPECT_THROW(cropped<std::complex<float>>(image, {4, 4, 5}), Error);
}

}  // namespace
}  // namespace larmor
