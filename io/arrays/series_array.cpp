#include <larmor/io/arrays/series_array.hpp>

#include <larmor/core/format_error.hpp>

#include <algorithm>
#include <cmath>

namespace larmor {

Shape SeriesShape::squeezed() const {
  return without_single_axes({frames, coils, z, y, x});
}

const char* to_string(ImageKind kind) {
  switch (kind) {
    case ImageKind::magnitude:
      return "magnitude";
    case ImageKind::phase:
      return "phase";
    case ImageKind::complex:
      return "complex";
    case ImageKind::real:
      return "real";
  }
  return "";
}

SeriesShape series_shape(const ImageSeries& series) {
  if (series.images.empty()) throw usage_error("there are no images to write");
  const Shape& first = series.images.front().pixels.shape();
  for (const Image& image : series.images)
    if (image.pixels.shape() != first)
      throw usage_error("images of one series have the shapes {} and {}", first.to_string(),
                        image.pixels.shape().to_string());
  if (first.rank() != 3 && first.rank() != 4)
    throw usage_error("an image has the shape {}; expected [z, y, x] or [coil, z, y, x]", first.to_string());
  if (first.size() == 0)
    throw usage_error("an image of the shape {} has no pixels: there is nothing to write", first.to_string());
  const int rank = first.rank();
  return {static_cast<Index>(series.images.size()), rank == 4 ? first[0] : 1, first[rank - 3],
          first[rank - 2], first[rank - 1]};
}

std::vector<float> real_pixels(View<const std::complex<float>> pixels, ImageKind kind) {
  std::vector<float> values(static_cast<std::size_t>(pixels.size()));
  const auto fill = [&](auto value) { std::transform(pixels.begin(), pixels.end(), values.begin(), value); };
  if (kind == ImageKind::phase)
    fill([](std::complex<float> pixel) { return std::arg(pixel); });
  else if (kind == ImageKind::real)
    fill([](std::complex<float> pixel) { return pixel.real(); });
  else  // in double, in which no square overflows
    fill([](std::complex<float> pixel) {
      return static_cast<float>(std::sqrt(std::norm(std::complex<double>(pixel))));
    });
  return values;
}

void real_parts(View<const std::complex<float>> pixels, ImageKind kind,
                const std::function<void(std::span<const float>)>& write) {
  constexpr Index part = 1 << 16;
  for (Index first = 0; first < pixels.size(); first += part)
    write(real_pixels({pixels.data() + first, {std::min(part, pixels.size() - first)}}, kind));
}

Shape without_single_axes(const Shape& shape) {
  std::vector<Index> extents;
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] != 1 || axis >= shape.rank() - 2) extents.push_back(shape[axis]);
  return {extents.data(), static_cast<int>(extents.size())};
}

}  // namespace larmor
