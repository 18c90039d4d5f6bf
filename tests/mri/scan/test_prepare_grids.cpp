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

/// The grids of a slice.
Grids grids_of(const Encoding& file, const GridOptions& options = {}) {
  return plan_grids(file, false, false, false, options);
}

TEST(Grids, SolveCoversWhatWasEncodedWithTheReconPixel) {
  struct Case {
    Encoding file;
    Matrix solve;
    double k_scale_x, k_scale_y;
  };
  const Case cases[] = {
      {encoding({480, 480, 1}, {480, 480, 5}, {240, 240, 1}, {240, 240, 5}), {480, 480, 1}, 1, 1},
      // Oversampled in x only: a spoke sees the larger field of view in every direction.
      {encoding({256, 128, 1}, {600, 300, 5}, {128, 128, 1}, {300, 300, 5}), {256, 256, 1}, 1, 1},
      // 4 mm instead of 2, and 1.5 mm instead of 3.
      {encoding({100, 100, 1}, {200, 300, 5}, {50, 200, 1}, {200, 300, 5}), {50, 200, 1}, 2, 0.5},
      // A larger recon matrix at an equal field of view is interpolation.
      {encoding({101, 101, 1}, {232, 232, 1}, {102, 102, 1}, {232, 232, 1}),
       {102, 102, 1},
       101.0 / 102,
       101.0 / 102},
      {encoding({150, 150, 1}, {150, 150, 5}, {99, 99, 1}, {99, 99, 5}), {150, 150, 1}, 1, 1},
  };
  for (const Case& each : cases) {
    const Grids grids = grids_of(each.file);
    EXPECT_EQ(grids.solve.matrix, each.solve);
    EXPECT_EQ(grids.recon.matrix, each.file.recon_matrix);
    EXPECT_DOUBLE_EQ(grids.k_scale[0], each.k_scale_x);
    EXPECT_DOUBLE_EQ(grids.k_scale[1], each.k_scale_y);
    EXPECT_DOUBLE_EQ(grids.solve.pixel(0), grids.recon.pixel(0));
  }
  // A Cartesian line sees the oversampled field of view along x only.
  const auto lines = encoding({256, 128, 1}, {600, 300, 5}, {128, 128, 1}, {300, 300, 5}, "cartesian");
  EXPECT_EQ(plan_grids(lines, false, false, true, {}).solve.matrix, (Matrix{256, 128, 1}));
}

TEST(Grids, SolveFactorMultipliesReconAndLeavesPlanesAlone) {
  const auto oversampled = encoding({64, 64, 40}, {64, 64, 80}, {64, 64, 20}, {64, 64, 40});
  EXPECT_EQ(plan_grids(oversampled, true, false, false, {}).solve_shape(), (Shape{40, 64, 64}));
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
  EXPECT_EQ(grids_of(file).recon.matrix, (Matrix{64, 64, 1}));
  EXPECT_THAT(grids_of(file).notes, testing::Contains(HasSubstr("no reconSpace")));
}

TEST(Grids, OverridesReplaceRecon) {
  const auto file = encoding({64, 64, 1}, {64, 64, 5}, {64, 64, 1}, {64, 64, 5});
  GridOptions options;
  options.matrix = {32};
  options.fov_mm = {48, 40};
  const auto grids = grids_of(file, options);
  EXPECT_EQ(grids.recon.matrix, (Matrix{32, 32, 1}));
  EXPECT_EQ(grids.recon.fov_mm, (Vec3{48, 40, 5}));
  EXPECT_EQ(grids.encoded.fov_mm, (Vec3{64, 64, 5}));
  EXPECT_EQ(grids.solve.matrix[0], 52);  // 64 mm / 40 mm of 32 pixels, rounded up: x follows y's oversampling
  options.matrix = {70000};
  EXPECT_THAT(fault_of([&] { grids_of(file, options); }), StartsWith("2 matrix: "));
  options.matrix = {32, 32, 1, 1};
  EXPECT_THAT(error_of([&] { grids_of(file, options); }), HasSubstr("4 values"));
  options.matrix = {32, 32, 4};
  EXPECT_THAT(fault_of([&] { grids_of(file, options); }), StartsWith("2 matrix: 4 along z"));
  const auto counted = encoding({64, 64, 20}, {64, 64, 100}, {64, 64, 20}, {64, 64, 100});
  for (const Index z : {1, 20}) {
    options.matrix = {32, 32, z};
    EXPECT_EQ(grids_of(counted, options).recon.fov_mm[2], 5) << "a slice is as thick as before";
  }
  options.matrix = {};
  options.fov_mm = {-1};
  EXPECT_THAT(fault_of([&] { grids_of(file, options); }), StartsWith("2 fov: "));
}

TEST(Grids, FieldsOfViewThatCannotBeNameTheRemedy) {
  const auto with_fov = [](Vec3 fov) { return encoding({64, 64, 1}, fov, {64, 64, 1}, fov); };
  for (const Vec3& fov : {Vec3{0, 0, 0}, Vec3{NAN, 200, 5}, Vec3{-3, 200, 5}, Vec3{INFINITY, 200, 5}}) {
    const std::string error = fault_of([&] { grids_of(with_fov(fov)); });
    EXPECT_THAT(error, StartsWith("3 fov: encoded field of view is"));
  }
  EXPECT_THAT(error_of([&] {
                grids_of(with_fov({0.2323, 0.2323, 1}));
              }),
              HasSubstr("looks like metres; give it in mm, for example 232.3,232.3,1"));
}

TEST(Grids, FieldOfViewOptionMakesUpForTheEncodedOne) {
  GridOptions options;
  options.fov_mm = {240};
  // The file has no field of view: the given one is used for both.
  const auto zero = grids_of(encoding({64, 64, 1}, {0, 0, 0}, {64, 64, 1}, {0, 0, 0}), options);
  EXPECT_EQ(zero.encoded.fov_mm[0], 240);
  EXPECT_EQ(zero.solve.matrix, (Matrix{64, 64, 1}));
  // Metres: the file's proportions are kept.
  const auto metres =
      grids_of(encoding({128, 128, 1}, {0.48, 0.48, 0.005}, {64, 64, 1}, {0.24, 0.24, 0.005}), options);
  EXPECT_DOUBLE_EQ(metres.encoded.fov_mm[0], 480);
  EXPECT_EQ(metres.solve.matrix, (Matrix{128, 128, 1}));
}

TEST(Grids, SliceThicknessMayBeMissing) {
  const auto grids = grids_of(encoding({64, 64, 1}, {128, 128, 0}, {64, 64, 1}, {128, 128, 0}));
  EXPECT_DOUBLE_EQ(grids.recon.fov_mm[2], 2);
  EXPECT_EQ(grids.warnings.size(), 1U);
  EXPECT_THAT(
      error_of([&] {
        plan_grids(encoding({64, 64, 8}, {128, 128, 0}, {64, 64, 8}, {128, 128, 0}), true, false, false, {});
      }),
      HasSubstr("along z"));
}

TEST(Grids, ImplausibleSizesAreRefused) {
  for (const Index n : {Index{0}, Index{-4}, Index{65536}})
    EXPECT_THAT(error_of([&] {
                  grids_of(encoding({n, 64, 1}, {64, 64, 5}, {64, 64, 1}, {64, 64, 5}));
                }),
                StartsWith("3: encoded matrix is"));
  EXPECT_THAT(error_of([] {
                grids_of(encoding({64, 64, 1}, {1e9, 1e9, 5}, {64, 64, 1}, {64, 64, 5}));
              }),
              HasSubstr("factor to solve on"));
}

TEST(Grids, MapsHaveTheReconOrTheSolveGrid) {
  const auto file = encoding({480, 480, 1}, {480, 480, 5}, {240, 240, 1}, {240, 240, 5});
  const auto grids = grids_of(file);
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
