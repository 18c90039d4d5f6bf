// Files of coil maps, and the positions that they give.
#include "error_of.hpp"
#include "io/hostile_files.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/io/arrays/npy.hpp>
#include <larmor/io/images/nifti.hpp>
#include <larmor/io/maps_file.hpp>

#include <gmock/gmock.h>
#include <nifti1_io.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace larmor::test {
namespace {

using C = std::complex<float>;
using testing::HasSubstr;

constexpr Index coils = 3;

Array<C> numbers(const Shape& shape) {
  Array<C> maps(shape);
  for (Index i = 0; i < maps.size(); ++i) maps[i] = C(static_cast<float>(i % 97), static_cast<float>(i % 13));
  return maps;
}

ImageGeometry oblique(Index z = 1) {
  ImageGeometry image;
  image.matrix = {8, 6, z};
  image.fov_mm = {160, 90, 5.0 * static_cast<double>(z)};
  image.position = {11, -7, 30.5};
  image.read_dir = {0.8, 0.6, 0};
  image.phase_dir = {-0.6, 0.8, 0};
  return image;
}

void expect_near(const ImageGeometry& found, const ImageGeometry& expected) {
  EXPECT_EQ(found.matrix, expected.matrix);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(found.fov_mm[axis], expected.fov_mm[axis], 1e-3);
    EXPECT_NEAR(found.position[axis], expected.position[axis], 1e-3);
    EXPECT_NEAR(found.read_dir[axis], expected.read_dir[axis], 1e-5);
    EXPECT_NEAR(found.phase_dir[axis], expected.phase_dir[axis], 1e-5);
    EXPECT_NEAR(found.slice_dir[axis], expected.slice_dir[axis], 1e-5);
  }
}

void expect_equal(View<const C> a, View<const C> b) {
  ASSERT_EQ(a.size(), b.size());
  for (Index i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], b[i]) << i;
}

class MapsFile : public testing::TestWithParam<const char*> {
 protected:
  std::string path() const { return folder_ / (std::string("maps") + GetParam()); }
  TemporaryFolder folder_;
};

TEST_P(MapsFile, KeepsAVolumeAndItsPlace) {
  const auto maps = numbers({coils, 4, 6, 8});
  check_maps_path(path(), false);
  write_coil_maps(path(), maps, {oblique(4)}, 1);
  const PlacedMaps read = read_coil_maps(path());
  expect_equal(read.maps, maps);
  ASSERT_EQ(read.geometry.size(), 1U);
  expect_near(read.geometry[0], oblique(4));
}

TEST_P(MapsFile, KeepsSetsOfASlice) {
  const auto maps = numbers({2, coils, 6, 8});
  write_coil_maps(path(), maps, {oblique()}, 2);
  const PlacedMaps read = read_coil_maps(path());
  expect_equal(read.maps, maps);
  ASSERT_EQ(read.geometry.size(), 1U);
  expect_near(read.geometry[0], oblique());
}

TEST_P(MapsFile, KeepsSlices) {
  const auto maps = numbers({3, coils, 6, 8});
  std::vector<ImageGeometry> slices(3, oblique());
  for (std::size_t s = 0; s < 3; ++s) slices[s].position[2] += 7.5 * static_cast<double>(s);
  write_coil_maps(path(), maps, slices, 1);
  const PlacedMaps read = read_coil_maps(path());
  if (std::string(GetParam()).starts_with(".nii")) {
    // A NIfTI file stores a stack as a volume: its middle slice is the second.
    ASSERT_EQ(read.geometry.size(), 1U);
    ImageGeometry stack = slices[1];
    stack.matrix[2] = 3;
    stack.fov_mm[2] = 22.5;
    expect_near(read.geometry[0], stack);
    ASSERT_EQ(read.maps.shape(), (Shape{coils, 3, 6, 8}));
    for (Index s = 0; s < 3; ++s)
      for (Index c = 0; c < coils; ++c)
        expect_equal(read.maps.view().slice(c).slice(s), maps.view().slice(s).slice(c));
    return;
  }
  expect_equal(read.maps, maps);
  ASSERT_EQ(read.geometry.size(), 3U);
  for (std::size_t s = 0; s < 3; ++s) expect_near(read.geometry[s], slices[s]);
}

TEST(MapsGeometry, OfSeveralFieldsOfViewIsNoIsmrmrdFile) {
  const TemporaryFolder folder;
  const auto maps = numbers({2, coils, 6, 8});
  std::vector<ImageGeometry> slices(2, oblique());
  slices[1].fov_mm[0] += 10;
  const std::string path = folder / "maps.h5";
  EXPECT_THAT(error_of([&] { write_coil_maps(path, maps, slices, 1); }), HasSubstr("one field of view"));
  EXPECT_FALSE(std::filesystem::exists(path));
  write_coil_maps(folder / "maps.npy", maps, slices, 1);
  expect_near(read_coil_maps(folder / "maps.npy").geometry.at(1), slices[1]);
}

INSTANTIATE_TEST_SUITE_P(Formats, MapsFile, testing::Values(".npy", ".cfl", ".nii", ".nii.gz", ".h5"),
                         [](const auto& test) {
                           std::string name = std::string(test.param).substr(1);
                           std::erase(name, '.');
                           return name;
                         });

TEST(MapsGeometry, OfOtherNumbersIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder / "maps.npy";
  write_coil_maps(path, numbers({coils, 6, 8}), {oblique()}, 1);
  auto other = numbers({coils, 6, 8});
  other[3] = 0;
  write_npy<C>(path, other.view(), true);
  EXPECT_THAT(error_of([&] { read_coil_maps(path); }), HasSubstr("does not belong to the coil maps"));
  // A file written by hand may lack the checksum.
  std::ofstream(path + ".json") << R"({"images": [{"matrix": [8, 6, 1], "fov_mm": [80, 60, 5],
    "position": [0, 0, 1], "read_dir": [1, 0, 0], "phase_dir": [0, 1, 0], "slice_dir": [0, 0, 1]}]})";
  EXPECT_EQ(read_coil_maps(path).geometry.at(0).fov_mm[1], 60);
  for (const char* text :
       {"", "{", "[]", "{\"images\": 3}", "{\"images\": [{}]}",
        R"({"images": [{"matrix": [8, 6, 0], "fov_mm": [80, 60, 5], "position": [0, 0, 1],
                           "read_dir": [1, 0, 0], "phase_dir": [0, 1, 0], "slice_dir": [0, 0, 1]}]})",
        R"({"images": [{"matrix": [8, 6, 1.5], "fov_mm": [80, 60, 5], "position": [0, 0, 1],
                           "read_dir": [1, 0, 0], "phase_dir": [0, 1, 0], "slice_dir": [0, 0, 1]}]})",
        R"({"images": [{"matrix": [8, 6, 1], "fov_mm": [80, 60, 5], "position": [0, 0, 1],
                           "read_dir": [1, 0.1, 0], "phase_dir": [0, 1, 0], "slice_dir": [0, 0, 1]}]})",
        R"({"images": [{"matrix": [8, 6, 1], "fov_mm": [80, 60, 5], "position": [0, 0, 1],
                           "read_dir": [2, 0, 0], "phase_dir": [0, 1, 0], "slice_dir": [0, 0, 1]}]})",
        R"({"coordinates": "RAS, mm", "images": [{"matrix": [8, 6, 1], "fov_mm": [80, 60, 5],
            "position": [0, 0, 1], "read_dir": [1, 0, 0], "phase_dir": [0, 1, 0], "slice_dir": [0, 0, 1]}]})"}) {
    std::ofstream(path + ".json") << text;
    EXPECT_THAT(error_of([&] { read_coil_maps(path); }), HasSubstr("should give the position of")) << text;
  }
  std::filesystem::remove(path + ".json");
  EXPECT_TRUE(read_coil_maps(path).geometry.empty());
}

TEST(MapsGeometry, IsKeptOrReplacedWithItsMaps) {
  const TemporaryFolder folder;
  const std::string path = folder / "maps.npy";
  write_coil_maps(path, numbers({coils, 6, 8}), {oblique()}, 1);
  EXPECT_THAT(error_of([&] { check_maps_path(path, false); }), HasSubstr("2: "));
  std::filesystem::remove(path);
  EXPECT_THAT(error_of([&] { check_maps_path(path, false); }), HasSubstr("maps.npy.json"));
  EXPECT_THAT(error_of([&] { check_maps_path(folder / "maps.png", false); }), HasSubstr("coil maps"));
}

TEST(MapsGeometry, OfAScanThatDoesNotSayIsNotKnown) {
  const TemporaryFolder folder;
  ImageGeometry unknown = oblique();
  unknown.orientation_known = false;
  for (const char* name : {"maps.npy", "maps.nii"}) {
    write_coil_maps(folder / name, numbers({coils, 6, 8}), {unknown}, 1);
    EXPECT_TRUE(read_coil_maps(folder / name).geometry.empty()) << name;
  }
}

TEST(NiftiMaps, SayNothingByAnIdentity) {
  const TemporaryFolder folder;
  const std::string path = folder / "maps.nii";
  write_coil_maps(path, numbers({coils, 6, 8}), {oblique()}, 1);
  std::string bytes = hostile::contents(path);
  nifti_1_header header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto rewrite = [&] {
    std::memcpy(bytes.data(), &header, sizeof header);
    std::ofstream(path, std::ios::binary) << bytes;
  };
  // From the qform if there is no sform.
  header.sform_code = 0;
  rewrite();
  expect_near(read_coil_maps(path).geometry.at(0), oblique());
  // In metres.
  header.xyzt_units = SPACE_TIME_TO_XYZT(NIFTI_UNITS_METER, NIFTI_UNITS_SEC);
  rewrite();
  EXPECT_NEAR(read_coil_maps(path).geometry.at(0).fov_mm[0], 160e3, 1);
  header.sform_code = NIFTI_XFORM_ALIGNED_ANAT;
  float* rows[] = {header.srow_x, header.srow_y, header.srow_z};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 4; ++column) rows[row][column] = row == column ? 1.0F : 0.0F;
  rewrite();
  EXPECT_TRUE(read_coil_maps(path).geometry.empty());
  header.srow_x[1] = 0.5F;
  rewrite();
  EXPECT_THAT(error_of([&] { read_coil_maps(path); }), HasSubstr("shears"));
  header.srow_x[1] = 0;
  header.srow_z[2] = 0;
  rewrite();
  EXPECT_THAT(error_of([&] { read_coil_maps(path); }), HasSubstr("no size"));
}

TEST(NiftiMaps, OfAStaggeredStackAreSlices) {
  const TemporaryFolder folder;
  const std::string path = folder / "maps.nii";
  const auto maps = numbers({3, coils, 6, 8});
  std::vector<ImageGeometry> slices(3, oblique());
  for (std::size_t s = 0; s < 3; ++s) {
    slices[s].position[0] += 2 * static_cast<double>(s);
    slices[s].position[2] += 5 * static_cast<double>(s);
  }
  write_coil_maps(path, maps, slices, 1);
  const PlacedMaps read = read_coil_maps(path);
  ASSERT_EQ(read.geometry.size(), 3U);
  expect_equal(read.maps, maps);
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(read.geometry[s].position[axis], slices[s].position[axis], 1e-4);
}

}  // namespace
}  // namespace larmor::test
