#include "error_of.hpp"
#include "io/make_images.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/formats.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

// Images converted from file to file: numbers, type, position and counters.

namespace larmor::test {
namespace {

using testing::HasSubstr;

constexpr const char* header =
    "<ismrmrdHeader><sequenceParameters><TE>3</TE></sequenceParameters></ismrmrdHeader>";

// Contrasts × repetitions of three oblique slices, with numbers from -3 to 3.
ImageSeries series_of_kind(ImageKind kind, double stagger = 0) {
  ImageSeries series;
  series.kind = kind;
  series.ismrmrd_header = header;
  float value = -3;
  for (std::uint16_t contrast = 0; contrast < 2; ++contrast)
    for (std::uint16_t repetition = 0; repetition < 2; ++repetition)
      for (std::uint16_t slice = 0; slice < 3; ++slice) {
        Image image = make_image({1, 4, 6});
        image.geometry.read_dir = {0.8, 0.6, 0};
        image.geometry.phase_dir = {-0.6, 0.8, 0};
        image.geometry.position = {7 + stagger * slice, -4, 21 + 6.0 * slice};
        image.geometry.fov_mm[2] = 6;
        image.counters.slice = slice;
        image.counters.contrast = contrast;
        image.counters.repetition = repetition;
        image.acquisition_time_stamp = 4000000000U + slice;
        for (auto& pixel : image.pixels) {
          value = value > 2.9F ? -3 : value + 0.0237F;
          pixel = kind == ImageKind::phase     ? std::polar(1.0F, value)
                  : kind == ImageKind::complex ? std::polar(2 + value, value)
                  : kind == ImageKind::real    ? value
                                               : std::abs(value);
        }
        series.images.push_back(std::move(image));
      }
  return series;
}

// All pixels of an image in slices, in the order written; the same for a stack as for a volume.
double difference(const ImageSeries& a, const ImageSeries& b) {
  const auto sum = [](const ImageSeries& series, int power) {
    std::complex<double> result = 0;
    for (const Image& image : series.images) {
      const Index volume = image.pixels.size();
      for (Index i = 0; i < volume; ++i) {
        const std::complex<double> pixel =
            series.kind == ImageKind::complex
                ? std::complex<double>(image.pixels[i])
                : static_cast<double>(
                      real_pixels(image.pixels.view(), series.kind)[static_cast<std::size_t>(i)]);
        // Values identify the pixel: its position within the slice, and the slice among the others.
        const Index slice = i / 24 + image.counters.slice;
        result +=
            std::pow(pixel, power) * (1.0 + static_cast<double>(i % 24) + 30.0 * static_cast<double>(slice) +
                                      100.0 * image.counters.repetition + 300.0 * image.counters.contrast);
      }
    }
    return result;
  };
  return std::abs(sum(a, 1) - sum(b, 1)) / std::abs(sum(a, 1)) +
         std::abs(sum(a, 2) - sum(b, 2)) / std::abs(sum(a, 2));
}

class StoredKinds : public testing::TestWithParam<ImageKind> {};

TEST_P(StoredKinds, KeepTheirNumbersFromFileToFile) {
  const TemporaryFolder folder;
  const ImageSeries original = series_of_kind(GetParam());
  write_images(folder / "a.h5", original);
  std::string from = folder / "a.h5";
  for (const char* name : {"b.nii", "c.h5", "d.nii.gz", "e.h5"}) {
    const ImageSeries read = series_of(read_images(from), from);
    EXPECT_EQ(read.kind, GetParam()) << from;
    EXPECT_LT(difference(original, read), 1e-5) << from;
    from = folder / name;
    write_images(from, read);
  }
}

INSTANTIATE_TEST_SUITE_P(Kind, StoredKinds,
                         testing::Values(ImageKind::magnitude, ImageKind::phase, ImageKind::real,
                                         ImageKind::complex),
                         [](const auto& test) { return std::string(to_string(test.param)); });

void expect_place(const ImageGeometry& found, const ImageGeometry& expected, double z) {
  EXPECT_TRUE(found.orientation_known);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(found.read_dir[axis], expected.read_dir[axis], 1e-5);
    EXPECT_NEAR(found.phase_dir[axis], expected.phase_dir[axis], 1e-5);
    EXPECT_NEAR(found.position[axis], expected.position[axis] + (axis == 2 ? z : 0), 1e-4);
    const double fov = axis < 2 ? expected.fov_mm[axis] : found.fov_mm[axis];
    EXPECT_NEAR(found.fov_mm[axis], fov, 1e-4);
  }
}

TEST(StoredImages, KeepPlaceCountersAndHeader) {
  const TemporaryFolder folder;
  const ImageSeries original = series_of_kind(ImageKind::real);
  write_images(folder / "a.h5", original);
  const StoredImages stored = read_images(folder / "a.h5");
  EXPECT_EQ(stored.ismrmrd_header, header);
  ASSERT_EQ(stored.images.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(stored.images[i].counters, original.images[i].counters) << i;
    EXPECT_EQ(stored.images[i].acquisition_time_stamp, original.images[i].acquisition_time_stamp);
    expect_place(stored.images[i].geometry, original.images[i].geometry, 0);
  }
  // NIfTI stores a stack as a volume, whose middle slice is the second.
  write_images(folder / "a.nii", series_of(read_images(folder / "a.h5"), ""), {.frame_seconds = 1.5});
  const StoredImages volumes = read_images(folder / "a.nii");
  EXPECT_NEAR(volumes.frame_seconds, 1.5, 1e-6);
  ASSERT_EQ(volumes.images.size(), 4U);
  EXPECT_EQ(volumes.images[3].counters, (ImageCounters{0, 1, 0, 1, 0}));
  EXPECT_EQ(volumes.images[1].geometry.matrix, (std::array<Index, 3>{6, 4, 3}));
  for (const Image& image : volumes.images) expect_place(image.geometry, original.images[0].geometry, 6);
  // Slices that are displaced in-plane do not form a volume.
  write_images(folder / "s.nii", series_of_kind(ImageKind::real, 2));
  const StoredImages slices = read_images(folder / "s.nii");
  ASSERT_EQ(slices.images.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i)
    expect_place(slices.images[i].geometry, series_of_kind(ImageKind::real, 2).images[i].geometry, 0);
}

TEST(StoredImages, OfArraysLieNowhere) {
  const TemporaryFolder folder;
  Array<std::complex<float>> numbers({2, 3, 4});
  for (Index i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i) - 12;
  write_array<std::complex<float>>(folder / "a.npy", numbers.view());
  std::string from = folder / "a.npy";
  for (const char* name : {"b.nii", "c.h5", "d.cfl"}) {
    const ImageSeries series = series_of(read_images(from), from);
    EXPECT_EQ(series.kind, ImageKind::real) << from;
    EXPECT_FALSE(series.images.at(0).geometry.orientation_known) << from;
    EXPECT_EQ(series.images.at(0).geometry.fov_mm, (Vec3{4, 3, 2}));
    for (Index i = 0; i < numbers.size(); ++i) ASSERT_EQ(series.images[0].pixels[i], numbers[i]) << from;
    from = folder / name;
    write_images(from, series);
  }
  write_array<std::complex<float>>(folder / "five.npy",
                                   filled<std::complex<float>>({2, 2, 2, 2, 2}, 1).view());
  EXPECT_THAT(error_of([&] { series_of(read_images(folder / "five.npy"), "five.npy"); }),
              HasSubstr("3: five.npy has the shape"));
}

// The counter of 16 bits would give two images the same place.
TEST(StoredImages, AreNoMoreThanCountersTellApart) {
  const auto fault = [](Index images) {
    return error_of([&] {
      StoredImages stored;
      stored.pixels = filled<std::complex<float>>({images, 1, 1, 1}, 1);
      EXPECT_EQ(series_of(std::move(stored), "many.npy").images.back().counters.repetition, images - 1);
    });
  };
  EXPECT_EQ(fault(1), "");
  EXPECT_EQ(fault(65536), "");
  EXPECT_EQ(fault(65537), "3: many.npy has 65537 images, expected at most 65536");
}

}  // namespace
}  // namespace larmor::test
