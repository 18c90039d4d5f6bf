#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/images/stored_images.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace LARMOR_API larmor {
namespace {

using Pixels = View<const std::complex<float>>;

// The largest float below pi: the argument of pi rounded up would be -pi.
constexpr float largest_phase = 3.1415925F;

ImageKind kind_of(Pixels pixels, ImageKind named) {
  float least = 0, most = 0;
  for (Index i = 0; i < pixels.size(); ++i) {
    if (pixels[i].imag() != 0) return ImageKind::complex;
    least = std::min(least, pixels[i].real());
    most = std::max(most, pixels[i].real());
  }
  constexpr float rounding = 1e-5F;
  if (named == ImageKind::phase && std::max(-least, most) < largest_phase + rounding) return ImageKind::phase;
  return least < 0 || named == ImageKind::real ? ImageKind::real : ImageKind::magnitude;
}

// Images of an array without any further information.
std::vector<Image> images_of(const Shape& shape, const std::string& path) {
  const int rank = shape.rank();
  if (rank < 2 || rank > 4)
    throw input_error("{} has the shape {}; expected images [(frames,) (z,) y, x]", path, shape.to_string());
  // Images are told apart by ISMRMRD's counters.
  constexpr Index most = Index{std::numeric_limits<std::uint16_t>::max()} + 1;
  if (rank == 4 && shape[0] > most)
    throw input_error("{} has {} images, expected at most {}", path, shape[0], most);
  std::vector<Image> images(static_cast<std::size_t>(rank == 4 ? shape[0] : 1));
  for (std::size_t i = 0; i < images.size(); ++i) {
    ImageGeometry& geometry = images[i].geometry;
    geometry.matrix = {shape[rank - 1], shape[rank - 2], rank > 2 ? shape[rank - 3] : 1};
    for (std::size_t axis = 0; axis < 3; ++axis)
      geometry.fov_mm[axis] = static_cast<double>(geometry.matrix[axis]);
    geometry.orientation_known = false;
    images[i].counters.repetition = static_cast<std::uint16_t>(i);
  }
  return images;
}

}  // namespace

ImageSeries series_of(StoredImages stored, const std::string& path) {
  ImageSeries series;
  series.kind = kind_of(stored.pixels, stored.kind);
  series.ismrmrd_header = std::move(stored.ismrmrd_header);
  series.images = stored.images.empty() ? images_of(stored.pixels.shape(), path) : std::move(stored.images);
  const auto& [x, y, z] = series.images.front().geometry.matrix;
  const auto images = static_cast<Index>(series.images.size());
  const Index coils = stored.pixels.size() / (images * x * y * z);
  const Shape shape = coils > 1 ? Shape{coils, z, y, x} : Shape{z, y, x};
  for (Index i = 0; i < images; ++i) {
    Array<std::complex<float>>& pixels = series.images[static_cast<std::size_t>(i)].pixels;
    pixels = Array<std::complex<float>>(shape);
    std::copy_n(stored.pixels.data() + i * shape.size(), shape.size(), pixels.data());
    if (series.kind == ImageKind::phase)
      for (auto& pixel : pixels)
        pixel = std::polar(1.0F, std::clamp(pixel.real(), -largest_phase, largest_phase));
  }
  return series;
}

PlacedMaps placed_maps_of(StoredImages stored, const std::string& path) {
  const std::vector<Image>& images = stored.images;
  const auto known = [](const Image& image) { return image.geometry.orientation_known; };
  if (images.empty() || !std::all_of(images.begin(), images.end(), known))
    return {std::move(stored.pixels), {}};
  std::vector<std::size_t> order(images.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return images[a].counters < images[b].counters; });
  const auto& matrix = images.front().geometry.matrix;
  const auto count = static_cast<Index>(images.size());
  const Index frames = std::count_if(images.begin(), images.end(), [&](const Image& image) {
    return image.counters.slice == images[order[0]].counters.slice;
  });
  PlacedMaps result;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Image& image = images[order[i]];
    const std::size_t frame = i % static_cast<std::size_t>(frames);
    ImageCounters expected = images[order[frame]].counters;
    expected.slice = images[order[i - frame]].counters.slice;
    if (count % frames != 0 || image.counters != expected || image.geometry.matrix != matrix)
      throw input_error("{}: its {} images are not the same frames of every slice, on one grid", path, count);
    if (frame == 0) result.geometry.push_back(image.geometry);
  }
  const Index each = stored.pixels.size() / count, coils = each / (matrix[0] * matrix[1] * matrix[2]);
  std::vector<Index> axes;
  if (count > frames) axes.push_back(count / frames);
  if (frames > 1) axes.push_back(frames);
  if (coils > 1) axes.push_back(coils);
  if (matrix[2] > 1) axes.push_back(matrix[2]);
  axes.insert(axes.end(), {matrix[1], matrix[0]});
  result.maps = Array<std::complex<float>>(Shape(axes.data(), static_cast<int>(axes.size())));
  for (Index i = 0; i < count; ++i)
    std::copy_n(stored.pixels.data() + static_cast<Index>(order[static_cast<std::size_t>(i)]) * each, each,
                result.maps.data() + i * each);
  return result;
}

}  // namespace larmor
