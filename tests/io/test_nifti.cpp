#include "error_of.hpp"
#include "io/hostile_files.hpp"
#include "io/make_images.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/core/error.hpp>
#include <larmor/io/images/nifti.hpp>
#include <larmor/io/images/nifti_reader.hpp>
#include <larmor/io/images/nifti_stacks.hpp>

#include <gtest/gtest.h>
#include <nifti1_io.h>

#include <cmath>
#include <cstring>
#include <numbers>

namespace larmor::test {
namespace {

nifti_1_header header_of(const std::string& path) {
  nifti_1_header header{};
  const std::string bytes = hostile::contents(path);
  if (bytes.size() >= sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

ImageSeries series_of_one(const Shape& shape, const Vec3& fov_mm = {8, 18, 15}) {
  ImageSeries series;
  series.images.push_back(make_image(shape));
  series.images[0].geometry.fov_mm = fov_mm;
  return series;
}

/// A series after it was written: the number of files, warnings, header and pixels of the first file.
struct Written {
  std::size_t files;
  std::vector<std::string> warnings;
  nifti_1_header header;
  Array<std::complex<float>> pixels;
};

Written written(const ImageSeries& series, const NiftiOptions& options = {}) {
  const TemporaryFolder folder;
  const WrittenFiles result = write_nifti(folder / "a.nii", series, options);
  return {result.files.size(), result.warnings, header_of(result.files[0]), read_nifti(result.files[0])};
}

void expect_affine(const nifti_1_header& header, const double (&expected)[3][4]) {
  const float* rows[3] = {header.srow_x, header.srow_y, header.srow_z};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 4; ++column)
      EXPECT_NEAR(rows[row][column], expected[row][column], 1e-4) << row << ", " << column;
  EXPECT_EQ(header.sform_code, NIFTI_XFORM_SCANNER_ANAT);
  // The quaternion gives the same orientation.
  EXPECT_EQ(header.qform_code, NIFTI_XFORM_SCANNER_ANAT);
  const mat44 quatern = nifti_quatern_to_mat44(
      header.quatern_b, header.quatern_c, header.quatern_d, header.qoffset_x, header.qoffset_y,
      header.qoffset_z, header.pixdim[1], header.pixdim[2], header.pixdim[3], header.pixdim[0]);
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 4; ++column)
      EXPECT_NEAR(quatern.m[row][column], expected[row][column], 1e-3) << row << ", " << column;
}

// Scanner coordinates, RAS, of a voxel.
Vec3 voxel_position(const nifti_1_header& header, double i, double j, double k) {
  const float* rows[3] = {header.srow_x, header.srow_y, header.srow_z};
  Vec3 result{};
  for (std::size_t row = 0; row < 3; ++row)
    result[row] = rows[row][0] * i + rows[row][1] * j + rows[row][2] * k + rows[row][3];
  return result;
}

TEST(Nifti, AffineOfAnAxialVolumeByHand) {
  // 4 × 6 × 3 voxels of 2 × 3 × 5 mm, the voxel (2, 3, 1) at LPS (10, 20, 30).
  ImageSeries series = series_of_one({3, 6, 4});
  series.images[0].geometry.position = {10, 20, 30};
  const TemporaryFolder folder;
  const WrittenFiles written = write_nifti(folder / "a.nii", series);
  EXPECT_EQ(written.files, std::vector<std::string>{folder / "a.nii"});
  EXPECT_TRUE(written.warnings.empty());
  const nifti_1_header header = header_of(folder / "a.nii");
  expect_affine(header, {{-2, 0, 0, -6}, {0, -3, 0, -11}, {0, 0, 5, 25}});
  EXPECT_EQ(header.sizeof_hdr, 348);
  EXPECT_STREQ(header.magic, "n+1");
  EXPECT_EQ(header.vox_offset, 352);
  EXPECT_EQ(header.datatype, DT_FLOAT32);
  const short dim[8] = {3, 4, 6, 3, 1, 1, 1, 1};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(header.dim[i], dim[i]) << i;
  EXPECT_EQ(header.pixdim[0], 1);
  EXPECT_EQ(header.xyzt_units, NIFTI_UNITS_MM);
  EXPECT_EQ(hostile::contents(folder / "a.nii").size(), 352U + 72U * 4U);
  const auto back = read_nifti(folder / "a.nii");
  ASSERT_EQ(back.shape(), (Shape{3, 6, 4}));
  EXPECT_NEAR(back[70].real(), 71, 1e-4);
}

TEST(Nifti, AffineOfAnObliqueVolume) {
  // Columns computed with the formula, not with the code under test: read direction at 30 degrees in the LP
  // plane.
  const double c = std::cos(std::numbers::pi / 6), s = std::sin(std::numbers::pi / 6);
  ImageSeries series = series_of_one({5, 7, 8}, {16, 21, 20});
  ImageGeometry& geometry = series.images[0].geometry;
  geometry.position = {-12.5, 7, 40};
  geometry.read_dir = {c, s, 0};
  geometry.phase_dir = {-s, c, 0};
  geometry.slice_dir = {0, 0, 1};
  const nifti_1_header header = written(series).header;
  // o = pos - 4·2·read - 3·3·phase - 2·4·slice
  const double ox = -12.5 - 8 * c + 9 * s, oy = 7 - 8 * s - 9 * c, oz = 40 - 8;
  expect_affine(header, {{-2 * c, 3 * s, 0, -ox}, {-2 * s, -3 * c, 0, -oy}, {0, 0, 4, oz}});
  const Vec3 centre = voxel_position(header, 4, 3, 2);
  EXPECT_NEAR(centre[0], 12.5, 1e-4);
  EXPECT_NEAR(centre[1], -7, 1e-4);
  EXPECT_NEAR(centre[2], 40, 1e-4);
}

TEST(Nifti, LeftHandedAxesHaveQfacMinus1) {
  ImageSeries series = series_of_one({3, 6, 4});
  series.images[0].geometry.slice_dir = {0, 0, -1};
  const nifti_1_header header = written(series).header;
  EXPECT_EQ(header.pixdim[0], -1);
  expect_affine(header, {{-2, 0, 0, 4}, {0, -3, 0, 9}, {0, 0, -5, 5}});
}

// Slices of 5 mm thickness, their centres 6 mm apart, with the given positions along slice_dir.
ImageSeries slices_at(const std::vector<double>& places, const std::vector<std::uint16_t>& counters) {
  const double c = std::cos(0.4), s = std::sin(0.4);
  ImageSeries series;
  for (std::size_t i = 0; i < places.size(); ++i) {
    series.images.push_back(make_image({1, 6, 4}, 100.0F * static_cast<float>(i)));
    Image& image = series.images.back();
    image.counters.slice = counters[i];
    image.geometry.fov_mm = {8, 18, 5};
    image.geometry.phase_dir = {0, c, -s};
    image.geometry.slice_dir = {0, s, c};
    image.geometry.position = {1, 2 + places[i] * s, 3 + places[i] * c};
  }
  return series;
}

TEST(Nifti, SlicesAreSortedByPosition) {
  // Acquired in the order 0, 2, 1 and numbered so.
  const auto [files, warnings, header, back] = written(slices_at({0, 12, 6}, {0, 1, 2}));
  ASSERT_EQ(files, 1U);
  EXPECT_EQ(header.dim[0], 3);
  EXPECT_EQ(header.dim[3], 3);
  EXPECT_NEAR(header.pixdim[3], 6, 1e-5);
  ASSERT_EQ(back.shape(), (Shape{3, 6, 4}));
  EXPECT_NEAR(back[0].real(), 1, 1e-4);
  EXPECT_NEAR(back[24].real(), 201, 1e-3);  // the third image is in the middle
  EXPECT_NEAR(back[48].real(), 101, 1e-3);
  // The centre voxel of every slice is at its position.
  for (int k = 0; k < 3; ++k) {
    const Vec3 centre = voxel_position(header, 2, 3, k);
    EXPECT_NEAR(centre[0], -1, 1e-4);
    EXPECT_NEAR(centre[1], -(2 + 6 * k * std::sin(0.4)), 1e-4);
    EXPECT_NEAR(centre[2], 3 + 6 * k * std::cos(0.4), 1e-4);
  }
  // Against their direction.
  const Written turned = written(slices_at({12, 6, 0}, {0, 1, 2}));
  EXPECT_NEAR(turned.pixels[0].real(), 201, 1e-3);
  EXPECT_NEAR(voxel_position(turned.header, 2, 3, 0)[2], 3, 1e-4);
}

TEST(Nifti, UnevenOrTiltedSlicesGetFilesOfTheirOwn) {
  for (const int how : {0, 1, 2}) {
    ImageSeries series = slices_at({0, 6, 12}, {0, 1, 2});
    if (how == 0) series.images[1].geometry.position[2] += 0.7;
    if (how == 1) std::swap(series.images[1].geometry.read_dir, series.images[1].geometry.phase_dir);
    if (how == 2) series.images[2].geometry.position = series.images[0].geometry.position;
    const TemporaryFolder folder;
    const WrittenFiles written = write_nifti(folder / "a.nii.gz", series);
    ASSERT_EQ(written.files.size(), 3U) << how;
    EXPECT_EQ(written.files[1], folder / "a_2.nii.gz");
    ASSERT_EQ(written.warnings.size(), 1U);
    EXPECT_NE(written.warnings[0].find("not parallel and evenly spaced"), std::string::npos);
    EXPECT_NEAR(read_nifti(written.files[1])[0].real(), 101, 1e-3);
  }
}

TEST(Nifti, StaggeredSlicesHaveNoQuaternion) {
  ImageSeries series = slices_at({0, 6, 12}, {0, 1, 2});
  for (std::size_t i = 0; i < 3; ++i) series.images[i].geometry.position[0] += 2.0 * static_cast<double>(i);
  const auto [files, warnings, header, pixels] = written(series);
  EXPECT_EQ(files, 1U);
  EXPECT_EQ(header.qform_code, NIFTI_XFORM_UNKNOWN);
  EXPECT_EQ(header.sform_code, NIFTI_XFORM_SCANNER_ANAT);
  EXPECT_NEAR(header.srow_x[2], -2, 1e-5);
}

TEST(Nifti, TimeBetweenRepetitionsIsToldWhereItIsKnown) {
  ImageSeries series = slices_at({0, 0, 0}, {0, 0, 0});
  const auto header_for = [&](double seconds) { return written(series, {.frame_seconds = seconds}).header; };
  for (std::uint16_t i = 0; i < 3; ++i) series.images[i].counters.repetition = i;
  EXPECT_EQ(header_for(0.25).dim[4], 3);
  EXPECT_EQ(header_for(0.25).pixdim[4], 0.25F);
  EXPECT_EQ(XYZT_TO_TIME(header_for(0.25).xyzt_units), NIFTI_UNITS_SEC);
  EXPECT_EQ(XYZT_TO_TIME(header_for(0).xyzt_units), NIFTI_UNITS_UNKNOWN);
  EXPECT_EQ(XYZT_TO_SPACE(header_for(0).xyzt_units), NIFTI_UNITS_MM);
  // For contrasts, the time between repetitions does not apply.
  for (std::uint16_t i = 0; i < 3; ++i) series.images[i].counters = {.contrast = i};
  EXPECT_EQ(header_for(0.25).dim[4], 3);
  EXPECT_EQ(header_for(0.25).pixdim[4], 1);
  EXPECT_EQ(XYZT_TO_TIME(header_for(0.25).xyzt_units), NIFTI_UNITS_UNKNOWN);
}

TEST(Nifti, UnknownDirectionsGetNoOrientation) {
  for (const int how : {0, 1, 2}) {
    ImageSeries series = series_of_one({3, 6, 4}, {200, 150, 15});
    ImageGeometry& geometry = series.images[0].geometry;
    if (how == 0) geometry.orientation_known = false;
    if (how == 1) geometry.read_dir = geometry.phase_dir = {0, 0, 0};
    if (how == 2) geometry.slice_dir = {0, 0, std::nan("")};
    const auto [files, warnings, header, pixels] = written(series);
    ASSERT_EQ(warnings.size(), 1U) << how;
    EXPECT_NE(warnings[0].find("without orientation"), std::string::npos);
    EXPECT_EQ(header.sform_code, 0);
    EXPECT_EQ(header.qform_code, 0);
    EXPECT_FLOAT_EQ(header.pixdim[1], 50);
    EXPECT_FLOAT_EQ(header.pixdim[2], 25);
    EXPECT_FLOAT_EQ(header.pixdim[3], 5);
  }
}

TEST(Nifti, FramesRunAlongDimensions4And5) {
  ImageSeries series;
  for (std::uint16_t repetition = 0; repetition < 2; ++repetition)
    for (std::uint16_t contrast = 0; contrast < 3; ++contrast)
      for (std::uint16_t slice = 0; slice < 2; ++slice) {
        ImageSeries one = slices_at({6.0 * slice}, {slice});
        one.images[0].counters.repetition = static_cast<std::uint16_t>(65535 - repetition);
        one.images[0].counters.contrast = static_cast<std::uint16_t>(7 * contrast);
        one.images[0].pixels[0] = static_cast<float>(100 * (1 - repetition) + 10 * contrast + slice);
        series.images.push_back(std::move(one.images[0]));
      }
  const auto [files, warnings, header, back] = written(series);
  EXPECT_EQ(files, 1U);
  ASSERT_EQ(back.shape(), (Shape{3, 2, 2, 6, 4}));
  for (Index contrast = 0; contrast < 3; ++contrast)
    for (Index repetition = 0; repetition < 2; ++repetition)
      for (Index slice = 0; slice < 2; ++slice)
        EXPECT_NEAR(back[((contrast * 2 + repetition) * 2 + slice) * 24].real(),
                    100.0F * repetition + 10.0F * contrast + slice, 1e-4);
  // Without repetitions, dimension 4 counts the other images.
  series.images.erase(series.images.begin(), series.images.begin() + 6);
  const nifti_1_header contrasts = written(series).header;
  EXPECT_EQ(contrasts.dim[0], 4);
  EXPECT_EQ(contrasts.dim[4], 3);
}

TEST(Nifti, CoilsAreFramesAndComplexIsKept) {
  ImageSeries series;
  series.kind = ImageKind::complex;
  series.images.push_back(make_image({2, 3, 6, 4}));
  const TemporaryFolder folder;
  write_nifti(folder / "a.nii.gz", series);
  const auto back = read_nifti(folder / "a.nii.gz");
  ASSERT_EQ(back.shape(), (Shape{2, 3, 6, 4}));
  EXPECT_TRUE(std::equal(back.begin(), back.end(), series.images[0].pixels.begin()));
}

TEST(Nifti, FramesWithDifferentSlicesGetFilesOfTheirOwn) {
  ImageSeries series = slices_at({0, 6, 0}, {0, 1, 0});
  series.images[2].counters.repetition = 1;
  const TemporaryFolder folder;
  const WrittenFiles written = write_nifti(folder / "a.nii", series);
  ASSERT_EQ(written.files.size(), 2U);
  EXPECT_EQ(read_nifti(written.files[0]).shape(), (Shape{2, 6, 4}));
  EXPECT_EQ(read_nifti(written.files[1]).shape(), (Shape{6, 4}));
  ASSERT_EQ(written.warnings.size(), 1U);
  EXPECT_NE(written.warnings[0].find("different slices"), std::string::npos);
}

TEST(Nifti, RefusesWhatIsDamaged) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.nii";
  const ImageSeries series = series_of_one({3, 6, 4});
  write_nifti(path, series);
  const std::string sound = hostile::contents(path);
  const auto message = [&](const std::string& bytes) {
    hostile::overwrite_contents(path, bytes);
    const std::string error = error_of([&] { (void)read_nifti(path); });
    EXPECT_FALSE(error.starts_with("1: ")) << error;
    return error;
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(message(sound), "");
  EXPECT_NE(message("").find("not a NIfTI file"), std::string::npos);
  EXPECT_NE(message(std::string(400, 'x')).find("not a NIfTI file"), std::string::npos);
  EXPECT_NE(message(sound.substr(0, 500)).find("pixels end early"), std::string::npos);
  std::string huge = sound;
  const short dim[8] = {5, 32767, 32767, 32767, 32767, 32767, 1, 1};
  std::memcpy(huge.data() + offsetof(nifti_1_header, dim), dim, sizeof dim);
  EXPECT_NE(message(huge).find("claims"), std::string::npos);
  std::string blown = sound;
  const short cube[8] = {3, 300, 300, 300, 1, 1, 1, 1};
  std::memcpy(blown.data() + offsetof(nifti_1_header, dim), cube, sizeof cube);
  blown.resize(110000);
  EXPECT_NE(message(blown).find("a compression factor below 100"), std::string::npos);
  std::string odd = sound;
  const short datatype = DT_RGB24;
  std::memcpy(odd.data() + offsetof(nifti_1_header, datatype), &datatype, sizeof datatype);
  EXPECT_NE(message(odd).find("RGB24"), std::string::npos);
  std::string flat = sound;
  flat[offsetof(nifti_1_header, dim) + 2] = 0;
  EXPECT_NE(message(flat).find("axis of length 0"), std::string::npos);
  write_nifti(folder / "a.nii.gz", series);
  const std::string compressed = hostile::contents(folder / "a.nii.gz");
  EXPECT_EQ(message(compressed), "");
  EXPECT_NE(message(compressed.substr(0, compressed.size() - 8)).find("checksum is missing"),
            std::string::npos);
  std::string changed = compressed;
  changed[changed.size() - 6] ^= 1;
  EXPECT_NE(message(changed), "");
  EXPECT_THROW((void)read_nifti(folder / "nothing.nii"), Error);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Nifti, ReadsTheOtherByteOrderAndIntegers) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.nii";
  nifti_1_header header{};
  header.sizeof_hdr = 348;
  std::strncpy(header.magic, "n+1", 4);
  const short dim[8] = {2, 3, 1, 1, 1, 1, 1, 1};
  std::copy(dim, dim + 8, header.dim);
  header.datatype = DT_INT16;
  header.bitpix = 16;
  header.vox_offset = 352;
  swap_nifti_header(&header, 1);
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  hostile::overwrite_contents(path,
                              bytes + std::string(4, '\0') + std::string("\x01\x00\x00\x02\xff\xff", 6));
  const auto array = read_nifti(path);
  ASSERT_EQ(array.shape(), (Shape{1, 3}));
  EXPECT_EQ(array[0], 256.0F);
  EXPECT_EQ(array[1], 2.0F);
  EXPECT_EQ(array[2], -1.0F);
}

TEST(Nifti, SlopeAndInterceptAreApplied) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.nii";
  const ImageSeries series = series_of_one({3, 6, 4});
  write_nifti(path, series);
  std::string bytes = hostile::contents(path);
  const float slope = 2, intercept = -3;
  std::memcpy(bytes.data() + offsetof(nifti_1_header, scl_slope), &slope, sizeof slope);
  std::memcpy(bytes.data() + offsetof(nifti_1_header, scl_inter), &intercept, sizeof intercept);
  hostile::overwrite_contents(path, bytes);
  EXPECT_NEAR(read_nifti(path)[9].real(), 17, 1e-4);
}

}  // namespace
}  // namespace larmor::test
