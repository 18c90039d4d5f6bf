#include <larmor/core/data/geometry.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/parsed_number.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/images/dicom/attributes.hpp>
#include <larmor/io/images/dicom/frames.hpp>
#include <larmor/io/images/nifti_stacks.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace larmor::dicom {
namespace {

// The centre of the first voxel of slice z.
Vec3 first_voxel(const ImageGeometry& geometry, const Vec3& voxel, Index z) {
  Vec3 position = geometry.position;
  const auto middle = [](Index n) { return static_cast<double>(n / 2); };
  for (std::size_t i = 0; i < 3; ++i)
    position[i] += geometry.read_dir[i] * voxel[0] * -middle(geometry.matrix[0]) +
                   geometry.phase_dir[i] * voxel[1] * -middle(geometry.matrix[1]) +
                   geometry.slice_dir[i] * voxel[2] * (static_cast<double>(z) - middle(geometry.matrix[2]));
  return position;
}

// "contrast 1 coil 2", counted from 1, for the counters that vary within the series.
std::string label_of(const std::map<std::string, std::set<Index>>& used,
                     const std::map<std::string, Index>& counters) {
  std::string label;
  for (const auto& [name, value] : counters)
    if (used.at(name).size() > 1) label += (label.empty() ? "" : " ") + fmt::format("{} {}", name, value + 1);
  return label;
}

std::map<std::string, Index> counters_of(const Image& image, Index coil) {
  return {{"coil", coil},
          {"contrast", image.counters.contrast},
          {"phase", image.counters.phase},
          {"repetition", image.counters.repetition},
          {"set", image.counters.set}};
}

// A number with all its digits.
double as_written(double value) {
  return parsed_number<double>(decimal(value)).value();
}

}  // namespace

Frames frames_of(const ImageSeries& series) {
  const SeriesShape shape = series_shape(series);
  const std::vector<NiftiStack> stacks = nifti_stacks(series);
  Frames result;
  result.columns = shape.x;
  result.rows = shape.y;
  for (std::size_t axis = 0; axis < 3; ++axis)
    result.voxel_mm[axis] = voxel(series.images.front().geometry, axis);
  result.spacing_mm = stacks.front().voxel_mm[2];
  std::map<std::string, std::set<Index>> used;
  for (const Image& image : series.images)
    for (Index coil = 0; coil < shape.coils; ++coil)
      for (const auto& [name, value] : counters_of(image, coil)) used[name].insert(value);
  const std::set<Index>& repetitions = used["repetition"];
  std::map<std::map<std::string, Index>, std::uint32_t> kinds;
  // Positions and directions in one frame of reference, or none.
  result.oriented =
      std::all_of(stacks.begin(), stacks.end(), [](const auto& stack) { return stack.oriented; });
  for (std::size_t s = 0; s < stacks.size(); ++s) {
    const NiftiStack& stack = stacks[s];
    for (std::size_t i = 0; i < stack.images.size(); ++i) {
      const Image& image = series.images[stack.images[i]];
      ImageGeometry geometry = image.geometry;
      if (!result.oriented) {
        geometry = {.matrix = geometry.matrix, .fov_mm = geometry.fov_mm};
        geometry.position[2] = static_cast<double>(i % stack.slices) * result.voxel_mm[2];
      }
      for (Index coil = 0; coil < shape.coils; ++coil) {
        std::map<std::string, Index> counters = counters_of(image, coil);
        const std::string label = label_of(used, counters);
        counters.erase("repetition");
        const auto kind = static_cast<std::uint32_t>(
            kinds.emplace(counters, static_cast<std::uint32_t>(kinds.size() + 1)).first->second);
        for (Index z = 0; z < shape.z; ++z)
          result.frames.push_back(
              {.image = &image,
               .coil = coil,
               .z = z,
               .position = first_voxel(geometry, result.voxel_mm, z),
               .stack = static_cast<std::uint32_t>(s + 1),
               .place = static_cast<std::uint32_t>(shape.z > 1 ? static_cast<std::size_t>(z) + 1
                                                               : i % stack.slices + 1),
               .time = static_cast<std::uint32_t>(
                   1 + std::distance(repetitions.begin(), repetitions.find(image.counters.repetition))),
               .kind = kind,
               .label = label});
      }
    }
  }
  result.kinds = static_cast<std::uint32_t>(kinds.size());
  return result;
}

StoredPixels stored_pixels(const Frames& all, ImageKind kind) {
  constexpr double steps = 65535;
  const std::size_t pixels = static_cast<std::size_t>(all.columns) * static_cast<std::size_t>(all.rows);
  const bool phase = kind == ImageKind::phase;
  const auto slice_of = [&](const Frame& frame) {
    const View<const std::complex<float>> image = frame.image->pixels.view();
    const Shape& shape = image.shape();
    const Index slices = shape[shape.rank() - 3];
    const Index offset = (frame.coil * slices + frame.z) * static_cast<Index>(pixels);
    std::vector<float> values = real_pixels(
        View<const std::complex<float>>(image.data() + offset, Shape{all.rows, all.columns}, image.device()),
        kind);
    for (float& value : values)
      if (!std::isfinite(value)) value = 0;
    return values;
  };
  StoredPixels result;
  if (phase) {
    result.intercept = as_written(-std::numbers::pi);
    result.window_width = 2 * std::numbers::pi;
    result.slope = -2 * result.intercept / steps;
  } else {
    float most = 0, least = 0;
    // The window is found from the values of every frame, thinned to about one frame's number. A constant
    // step could select the same column of each frame, such as one of the background.
    std::vector<float> some;
    const double step = 1 + std::numbers::phi * static_cast<double>(all.frames.size() - 1);
    double next = 0;
    std::size_t first = 0;
    for (const Frame& frame : all.frames) {
      const std::vector<float> values = slice_of(frame);
      most = std::max(most, *std::max_element(values.begin(), values.end()));
      least = std::min(least, *std::min_element(values.begin(), values.end()));
      for (; next < static_cast<double>(first + values.size()); next += step)
        some.push_back(std::abs(values[static_cast<std::size_t>(next) - first]));
      first += values.size();
    }
    const double range = static_cast<double>(most) - static_cast<double>(least);
    // One step is reserved so that 0 is representable.
    if (range > 0) result.slope = as_written(range / (least < 0 ? steps - 1 : steps));
    result.intercept = as_written(std::floor(static_cast<double>(least) / result.slope) * result.slope);
    const auto high =
        some.begin() + static_cast<std::ptrdiff_t>(0.995 * static_cast<double>(some.size() - 1));
    std::nth_element(some.begin(), high, some.end());
    const float white = *high > 0 ? *high : range > 0 ? std::max(most, -least) : 1;
    result.window_width = least < 0 ? 2 * white : white;
    result.window_center = least < 0 ? 0 : result.window_width / 2;
  }
  result.slope = as_written(result.slope);
  result.values.reserve(pixels * all.frames.size());
  for (const Frame& frame : all.frames)
    for (const float value : slice_of(frame))
      result.values.push_back(static_cast<std::uint16_t>(
          std::clamp(std::round((value - result.intercept) / result.slope), 0.0, steps)));
  return result;
}

}  // namespace larmor::dicom
