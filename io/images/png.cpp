#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/images/png.hpp>

#include <png.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace LARMOR_API larmor {
namespace {

constexpr double percentile = 0.995;

// All pixels as real numbers, images one after the other.
std::vector<float> all_values(const ImageSeries& series) {
  std::vector<float> values;
  for (const Image& image : series.images) {
    const std::vector<float> part = real_pixels(image.pixels.view(), series.kind);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

std::pair<double, double> window_of(const std::vector<float>& values, ImageKind kind) {
  if (kind == ImageKind::phase) return {-std::numbers::pi, std::numbers::pi};
  std::vector<float> finite;
  for (const float v : values)
    if (std::isfinite(v)) finite.push_back(std::abs(v));
  if (finite.empty()) return {0, 1};
  const auto rank =
      static_cast<std::ptrdiff_t>(std::ceil(percentile * static_cast<double>(finite.size()))) - 1;
  std::nth_element(finite.begin(), finite.begin() + rank, finite.end());
  double white = finite[static_cast<std::size_t>(rank)];
  // If only few pixels are nonzero, the window covers their maximum.
  if (white <= 0) white = *std::max_element(finite.begin(), finite.end());
  if (!(white > 0)) white = 1;
  return {kind == ImageKind::real ? -white : 0, white};
}

std::uint8_t gray(float value, const std::pair<double, double>& window) {
  const double level = (value - window.first) / (window.second - window.first) * 255;
  if (std::isnan(level)) return 0;
  return static_cast<std::uint8_t>(std::lround(std::clamp(level, 0.0, 255.0)));
}

}  // namespace

std::pair<double, double> default_window(const ImageSeries& series) {
  return window_of(all_values(series), series.kind);
}

Index montage_columns(Index tiles) {
  return static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(tiles))));
}

std::vector<std::uint8_t> png_of(const ImageSeries& series, const PngOptions& options) {
  const SeriesShape shape = series_shape(series);
  const std::vector<float> values = all_values(series);
  const auto window = options.window.value_or(window_of(values, series.kind));
  if (!(window.second > window.first))
    throw usage_error("PNG window from {} to {}: expected an increasing pair", window.first, window.second);

  const Index tiles = shape.frames * shape.coils * shape.z;
  const Index columns = montage_columns(tiles);
  const Index rows = (tiles + columns - 1) / columns;
  const Index width = columns * shape.x, height = rows * shape.y;
  if (width > 65500 || height > 65500)
    throw usage_error("a PNG of {} x {} pixels is too large; select fewer slices or write another format",
                      width, height);
  std::vector<std::uint8_t> picture(static_cast<std::size_t>(width * height), 0);
  for (Index tile = 0; tile < tiles; ++tile)
    for (Index y = 0; y < shape.y; ++y) {
      const float* from = values.data() + (tile * shape.y + y) * shape.x;
      std::uint8_t* to = picture.data() + (tile / columns * shape.y + y) * width + tile % columns * shape.x;
      std::transform(from, from + shape.x, to, [&](float value) { return gray(value, window); });
    }

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_GRAY;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::uint8_t> encoded(bytes);
  if (png_image_write_to_memory(&image, encoded.data(), &bytes, 0, picture.data(), 0, nullptr) == 0)
    throw internal_error("cannot encode a PNG: {}", image.message);
  encoded.resize(bytes);
  return encoded;
}

void write_png(const std::string& path, const ImageSeries& series, const PngOptions& options) {
  const std::vector<std::uint8_t> encoded = png_of(series, options);
  AtomicFile file(path, options.overwrite);
  file.write(encoded.data(), encoded.size());
  file.commit();
}

}  // namespace larmor
