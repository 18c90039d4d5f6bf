#include "io/make_images.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/io/formats.hpp>
#include <larmor/io/images/png.hpp>

#include <gtest/gtest.h>
#include <png.h>

#include <numbers>

namespace larmor::test {
namespace {

struct Picture {
  unsigned width = 0, height = 0;
  std::vector<std::uint8_t> gray;
};

Picture read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return {};
  EXPECT_EQ(image.format, static_cast<png_uint_32>(PNG_FORMAT_GRAY));
  Picture picture{image.width, image.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
  png_image_finish_read(&image, nullptr, picture.gray.data(), 0, nullptr);
  return picture;
}

TEST(Png, WindowGoesFromZeroToThe99Point5Percentile) {
  const TemporaryFolder folder;
  ImageSeries series;
  series.images.push_back(make_image({1, 20, 10}));  // magnitudes 1 to 200
  write_png(folder / "a.png", series);
  const Picture picture = read_png(folder / "a.png");
  ASSERT_EQ(picture.width, 10U);
  ASSERT_EQ(picture.height, 20U);
  // 199 of 200 values are at most 199.
  EXPECT_EQ(picture.gray[0], std::lround(255.0 / 199));
  EXPECT_EQ(picture.gray[99], std::lround(100 * 255.0 / 199));
  EXPECT_EQ(picture.gray[198], 255);
  EXPECT_EQ(picture.gray[199], 255);
  write_png(folder / "b.png", series, {.overwrite = false, .window = std::pair(100.0, 110.0)});
  const Picture windowed = read_png(folder / "b.png");
  EXPECT_EQ(windowed.gray[98], 0);
  EXPECT_EQ(windowed.gray[104], std::lround(127.5));
  EXPECT_EQ(windowed.gray[110], 255);
}

TEST(Png, MontageFillsRows) {
  const TemporaryFolder folder;
  ImageSeries series;
  series.images.push_back(make_image({5, 2, 3}));
  write_png(folder / "a.png", series, {.overwrite = false, .window = std::pair(0.0, 255.0)});
  const Picture picture = read_png(folder / "a.png");
  // 3 columns and 2 rows of 3 × 2 pixels; the last tile stays empty.
  ASSERT_EQ(picture.width, 9U);
  ASSERT_EQ(picture.height, 4U);
  const std::vector<std::uint8_t> expected{1,  2,  3,  7,  8,  9,  13, 14, 15,  //
                                           4,  5,  6,  10, 11, 12, 16, 17, 18,  //
                                           19, 20, 21, 25, 26, 27, 0,  0,  0,   //
                                           22, 23, 24, 28, 29, 30, 0,  0,  0};
  EXPECT_EQ(picture.gray, expected);
}

TEST(Png, PhaseGoesFromMinusPiToPi) {
  const TemporaryFolder folder;
  ImageSeries series;
  series.kind = ImageKind::phase;
  series.images.push_back(make_image({1, 1, 4}));
  const float pi = std::numbers::pi_v<float>;
  const float phases[4] = {-3.1415F, -pi / 2, 0, 3.1415F};
  for (Index i = 0; i < 4; ++i) series.images[0].pixels[i] = std::polar(5.0F, phases[i]);
  write_png(folder / "a.png", series);
  EXPECT_EQ(read_png(folder / "a.png").gray, (std::vector<std::uint8_t>{0, 64, 128, 255}));
}

TEST(Png, OddPixelsAndWindows) {
  const TemporaryFolder folder;
  ImageSeries series;
  series.images.push_back(make_image({1, 2, 2}));
  series.images[0].pixels[1] = std::numeric_limits<float>::quiet_NaN();
  series.images[0].pixels[2] = std::numeric_limits<float>::infinity();
  write_png(folder / "a.png", series);
  EXPECT_EQ(read_png(folder / "a.png").gray, (std::vector<std::uint8_t>{64, 0, 255, 255}));
  std::fill(series.images[0].pixels.begin(), series.images[0].pixels.end(), 0.0F);
  write_png(folder / "zero.png", series);
  EXPECT_EQ(read_png(folder / "zero.png").gray, std::vector<std::uint8_t>(4, 0));
  EXPECT_THROW(write_png(folder / "b.png", series, {.overwrite = false, .window = std::pair(1.0, 1.0)}),
               Error);
}

}  // namespace
}  // namespace larmor::test
