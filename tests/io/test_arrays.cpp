#include "error_of.hpp"
#include "io/hostile_files.hpp"
#include "io/make_images.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/core/error.hpp>
#include <larmor/io/arrays/cfl.hpp>
#include <larmor/io/arrays/npy.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/maps_file.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace larmor::test {
namespace {

using hostile::contents;
using hostile::overwrite_contents;

std::string npy(const std::string& dictionary, const std::string& values, int version = 1) {
  std::string text = dictionary + "\n";
  std::string header = "\x93NUMPY";
  header += static_cast<char>(version);
  header += '\0';
  header += static_cast<char>(text.size());
  header += '\0';
  if (version > 1) header += std::string(2, '\0');
  return header + text + values;
}

template <typename T>
std::string bytes_of(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

template <typename T>
Array<T> counting(const Shape& shape) {
  Array<T> array(shape);
  for (Index i = 0; i < array.size(); ++i) array[i] = T(static_cast<float>(i) - 3.25F);
  return array;
}

template <typename T>
class NpyRoundTrip : public testing::Test {};
using NpyTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(NpyRoundTrip, NpyTypes);

TYPED_TEST(NpyRoundTrip, KeepsShapeAndValues) {
  const TemporaryFolder folder;
  for (const Shape& shape : {Shape{5}, Shape{3, 4}, Shape{2, 1, 3, 4}, Shape{1, 2, 1, 2, 1, 2, 1, 2}}) {
    const std::string path = folder / "a.npy";
    const Array<TypeParam> array = counting<TypeParam>(shape);
    write_npy<TypeParam>(path, array, true);
    const Array<TypeParam> back = read_npy<TypeParam>(path);
    ASSERT_EQ(back.shape(), shape);
    EXPECT_TRUE(std::equal(back.begin(), back.end(), array.begin()));
    // NumPy requires its numbers at a multiple of 64 bytes.
    EXPECT_EQ((contents(path).size() - array.view().bytes()) % 64, 0U);
  }
}

TEST(Npy, WritesTheHeaderNumpyWrites) {
  const TemporaryFolder folder;
  write_npy<float>(folder / "a.npy", counting<float>({7}));
  const std::string header = contents(folder / "a.npy").substr(0, 128);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(header.substr(10, 60), "{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }   ");
  EXPECT_EQ(header.back(), '\n');
}

template <typename T>
Array<T> read_bytes(const std::string& file) {
  const TemporaryFolder folder;
  overwrite_contents(folder / "a.npy", file);
  return read_npy<T>(folder / "a.npy");
}

TEST(Npy, ReadsOtherOrders) {
  const auto turned = read_bytes<double>(npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }",
                                             bytes_of<double>({1, 4, 2, 5, 3, 6})));
  ASSERT_EQ(turned.shape(), (Shape{2, 3}));
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(turned[i], static_cast<double>(i + 1));
  const auto big_endian =
      read_bytes<std::complex<float>>(npy("{'descr': '>c8', 'fortran_order': False, 'shape': (1,)}",
                                          std::string("\x3f\x80\x00\x00\xc0\x00\x00\x00", 8)));
  EXPECT_EQ(big_endian[0], (std::complex<float>(1, -2)));
}

TEST(Npy, ConvertsOtherTypes) {
  const auto first_two = [&](const std::string& type, const std::string& values, int version) {
    const auto array = read_bytes<double>(
        npy("{\"descr\": \"" + type + "\", 'fortran_order': False, 'shape': (2, )}", values, version));
    return std::pair(array[0], array[1]);
  };
  using Pair = std::pair<double, double>;
  EXPECT_EQ(first_two("|b1", std::string("\0\1", 2), 1), Pair(0, 1));
  EXPECT_EQ(first_two("|i1", "\xff\x07", 2), Pair(-1, 7));
  EXPECT_EQ(first_two("<u2", bytes_of<std::uint16_t>({65535, 1}), 3), Pair(65535, 1));
  EXPECT_EQ(first_two("<i8", bytes_of<std::int64_t>({-1234567890123, 5}), 1), Pair(-1234567890123, 5));
  EXPECT_EQ(first_two("=f4", bytes_of<float>({0.5F, -2}), 1), Pair(0.5, -2));
  EXPECT_EQ(first_two("<f2", bytes_of<std::uint16_t>({0x3c00, 0xc100}), 1), Pair(1, -2.5));
  EXPECT_EQ(first_two("<f2", bytes_of<std::uint16_t>({0x0001, 0x7bff}), 1),
            Pair(std::ldexp(1.0, -24), 65504));
}

TEST(Npy, RefusesWhatIsDamaged) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.npy";
  const auto message = [&](const std::string& bytes) {
    overwrite_contents(path, bytes);
    const std::string error = error_of([&] { (void)read_npy<double>(path); });
    EXPECT_TRUE(error.empty() || error.starts_with("3: ")) << error;
    return error;
  };
  const auto with = [](const std::string& type, const std::string& shape) {
    return npy("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }",
               std::string(16, '\0'));
  };
  EXPECT_EQ(message(with("<f8", "(2,)")), "");
  EXPECT_NE(message("PK\3\4 an archive").find("not an npy file"), std::string::npos);
  EXPECT_NE(message("").find("not an npy file"), std::string::npos);
  EXPECT_NE(message(with("<f8", "(3,)")).find("truncated: "), std::string::npos);
  EXPECT_NE(message(with("<f8", "(99999999, 99999999, 99999999)")).find("claims"), std::string::npos);
  EXPECT_NE(message(with("<f8", "(-2,)")).find("shape"), std::string::npos);
  EXPECT_NE(message(with("<f8", "(2")).find("shape"), std::string::npos);
  EXPECT_NE(message(with("<f8", "(1,1,1,1,1,1,1,1,2)")).find("has 9 axes; expected at most 8"),
            std::string::npos);
  EXPECT_NE(message(with("<f8", "(3, 0)")).find("axis of length 0"), std::string::npos);
  EXPECT_NE(message(with("<f8", "(0, 4611686018427387904, 4)")).find("axis of length 0"), std::string::npos)
      << "the product of all but the empty axis does not fit in an integer";
  EXPECT_NE(message(std::string("\x93NUMPY\x02\x00\x00\x00\x02\x00", 12) + std::string(1 << 17, ' '))
                .find("damaged"),
            std::string::npos)
      << "a header of 128 kB";
  EXPECT_NE(message(with("<U8", "(2,)")).find("<U8"), std::string::npos);
  EXPECT_NE(message(with("", "(2,)")).find("descr"), std::string::npos);
  EXPECT_NE(message(with("<c16", "(1,)")).find("complex"), std::string::npos);
  EXPECT_NE(message(npy("{'shape': (2,)}", "")).find("descr"), std::string::npos);
  EXPECT_NE(
      message(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", "")).find("records"),
      std::string::npos);
  EXPECT_NE(message(std::string("\x93NUMPY\x07\x00", 8)).find("version 7"), std::string::npos);
  EXPECT_NE(message(std::string("\x93NUMPY\x01\x00\xff\xff{}", 12)).find("damaged"), std::string::npos);
}

// Writers refuse empty arrays, which no reader would accept.
TEST(Formats, ImagesAndArraysWithoutElementsAreNotWritten) {
  const TemporaryFolder folder;
  for (const Shape& shape :
       {Shape{1, 0, 4}, Shape{0, 3, 4}, Shape{1, 3, 0}, Shape{0, 0, 0}, Shape{0, 1, 3, 4}})
    for (const std::string extension : {".npy", ".cfl", ".nii", ".nii.gz", ".h5", ".png", ".dcm"}) {
      SCOPED_TRACE(shape.to_string() + extension);
      ImageSeries series;
      series.images.push_back({Array<std::complex<float>>(shape), {}, {}, 0});
      const std::string path = folder / ("a" + extension);
      EXPECT_EQ(error_of([&] { write_images(path, series); }).substr(0, 2), "2:");
      const auto write = [&] { write_array<std::complex<float>>(path, series.images[0].pixels.view()); };
      EXPECT_EQ(error_of(write).substr(0, 2), "2:");
      EXPECT_EQ(folder.files(), 0U);
    }
}

TEST(Npy, SeriesLeavesOutAxesOfLengthOne) {
  const TemporaryFolder folder;
  ImageSeries series;
  series.images.push_back(make_image({1, 3, 4}));
  write_npy(folder / "one.npy", series);
  const Array<float> one = read_npy<float>(folder / "one.npy");
  ASSERT_EQ(one.shape(), (Shape{3, 4}));
  EXPECT_NEAR(one[5], 6, 1e-5);

  series.images.push_back(make_image({1, 3, 4}, 100));
  series.kind = ImageKind::complex;
  write_npy(folder / "two.npy", series);
  const auto two = read_npy<std::complex<float>>(folder / "two.npy");
  ASSERT_EQ(two.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(two[12 + 7], series.images[1].pixels[7]);

  series.kind = ImageKind::phase;
  write_npy(folder / "phase.npy", series);
  EXPECT_NEAR(read_npy<float>(folder / "phase.npy")[12 + 7], 0.7, 1e-6);
}

TEST(Cfl, RoundTripReversesTheAxes) {
  const TemporaryFolder folder;
  const auto array = counting<std::complex<float>>({2, 1, 3, 4});
  write_cfl(folder / "maps.cfl", array);
  EXPECT_EQ(contents(folder / "maps.hdr").substr(0, 49),
            "# Dimensions\n4 3 1 2 1 1 1 1 1 1 1 1 1 1 1 1 \n# C");
  const auto back = read_cfl(folder / "maps");
  ASSERT_EQ(back.shape(), (Shape{2, 1, 3, 4}));
  EXPECT_TRUE(std::equal(back.begin(), back.end(), array.begin()));
  EXPECT_EQ(read_array(folder / "maps.cfl").shape(), (Shape{2, 3, 4}));
}

TEST(Cfl, SeriesPutsCoilsInDimension3AndFramesIn10) {
  const TemporaryFolder folder;
  ImageSeries series;
  for (int frame = 0; frame < 3; ++frame) series.images.push_back(make_image({2, 5, 3, 4}, 10.0F * frame));
  write_cfl(folder / "a.cfl", series);
  EXPECT_EQ(contents(folder / "a.hdr").substr(0, 45), "# Dimensions\n4 3 5 2 1 1 1 1 1 1 3 1 1 1 1 1 ");
  const auto back = read_cfl(folder / "a.cfl");
  ASSERT_EQ(back.shape(), (Shape{3, 2, 5, 3, 4}));
  EXPECT_EQ(back[2 * 120 + 17], series.images[2].pixels[17]);
}

TEST(Cfl, RefusesWhatIsDamaged) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& header, std::size_t bytes) {
    overwrite_contents(folder / "a.hdr", header);
    overwrite_contents(folder / "a.cfl", std::string(bytes, '\0'));
    const std::string error = error_of([&] { (void)read_cfl(folder / "a.cfl"); });
    EXPECT_TRUE(error.empty() || error.starts_with("3: ")) << error;
    return error;
  };
  EXPECT_EQ(message("# Dimensions\n2 3 \n", 48), "");
  EXPECT_NE(message("# Dimensions\n2 3 \n", 40).find("has 40 bytes; its header's dimensions need 48"),
            std::string::npos);
  EXPECT_NE(message("2 3\n", 48).find("# Dimensions"), std::string::npos);
  EXPECT_NE(message("# Dimensions\n2 -3\n", 48).find("\"2 -3\""), std::string::npos);
  EXPECT_NE(message("# Dimensions\n2 x\n", 48).find("\"2 x\""), std::string::npos);
  EXPECT_NE(message("# Dimensions\n99999999 99999999 99999999\n", 48).find("expected"), std::string::npos);
  EXPECT_THROW((void)read_cfl(folder / "nothing.cfl"), Error);
}

TEST(Arrays, RealOnesAreNotReadFromComplexFiles) {
  const TemporaryFolder folder;
  write_array<std::complex<float>>(folder / "a.npy", filled<std::complex<float>>({2, 2}, {1, 1}));
  write_array<std::complex<float>>(folder / "a.cfl", filled<std::complex<float>>({2, 2}, {1, 1}));
  write_array<float>(folder / "real.cfl", filled<float>({2, 2}, 3));
  EXPECT_THROW((void)read_array<double>(folder / "a.npy"), Error);
  EXPECT_THROW((void)read_array<double>(folder / "a.cfl"), Error);
  EXPECT_EQ(read_array<double>(folder / "real.cfl")[3], 3);
  EXPECT_THROW((void)read_array(folder / "a.txt"), Error);
  EXPECT_THROW(write_array<double>(folder / "b.cfl", filled<double>({2, 2}, 3)), Error);
}

// The declared capabilities of a format are true; other uses are the caller's error.
TEST(Formats, AreForWhatCanBeDoneWithThem) {
  const TemporaryFolder folder;
  const auto fits = [](const auto& action) { return !error_of(action).starts_with("2: "); };
  const auto value = filled<std::complex<float>>({2, 2}, {1, 1});
  for (const std::string extension :
       {"", ".nii", ".nii.gz", ".h5", ".png", ".npy", ".cfl", ".dcm", ".seq", ".txt"}) {
    const std::string path = folder / "a" + extension;
    // A build may lack DCMTK.
    const std::string refused = error_of([&] { check_output_path(path, {}); });
    EXPECT_EQ(is_for(FormatUse::images, path), !refused.ends_with(extensions_for(FormatUse::images)))
        << refused;
    EXPECT_EQ(is_for(FormatUse::maps, path), fits([&] { check_maps_path(path, false); })) << path;
    EXPECT_EQ(is_for(FormatUse::numbers, path), fits([&] { read_array(path); })) << path;
    EXPECT_EQ(is_for(FormatUse::array, path), fits([&] { write_array<std::complex<float>>(path, value); }))
        << path;
    EXPECT_EQ(is_for(FormatUse::description, path),
              std::ranges::count(files_of(path, true), (folder / "a.json")) == 1)
        << path;
  }
  EXPECT_TRUE(extensions_for(FormatUse::images).starts_with(".nii, .nii.gz, .h5, .png, .npy, .cfl, .dcm"));
  EXPECT_EQ(extensions_for(FormatUse::frame_times), ".nii, .nii.gz");
  EXPECT_EQ(extensions_for(FormatUse::patient), ".dcm");
  EXPECT_FALSE(is_for(FormatUse::images, ".nii")) << "no name";
  // BART leaves the extension out.
  EXPECT_TRUE(error_of([&] { check_output_path(folder / "a", {}); }).ends_with("a.cfl"));
}

TEST(SharedData, CflOfBartIsRead) {
  const std::string path = LARMOR_TEST_DATA "/brain_cartesian_8ch.cfl";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto array = read_cfl(path);
  EXPECT_EQ(array.shape(), (Shape{8, 230, 180, 1}));
}

}  // namespace
}  // namespace larmor::test
