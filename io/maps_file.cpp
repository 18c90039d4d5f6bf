#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/cfl.hpp>
#include <larmor/io/arrays/npy.hpp>
#include <larmor/io/files/own_file.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/maps_file.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace LARMOR_API larmor {
namespace {

using Json = nlohmann::json;
using WrittenJson = nlohmann::ordered_json;  // searches all keys each time: only for our own small objects
using Maps = View<const std::complex<float>>;

constexpr const char* geometry_format = "larmor coil maps";
constexpr const char* coordinates = "LPS, mm";
constexpr std::size_t most_geometry_bytes = std::size_t{16} << 20;
constexpr int geometry_levels = 4;  // levels: the file, its images, an image, a vector
constexpr Index largest_matrix = 65535;

std::string checksum_of(Maps maps) {
  return checksum_text(checksum(0, maps.data(), maps.bytes()));
}

WrittenJson json_of(const ImageGeometry& geometry) {
  WrittenJson json;
  json["matrix"] = geometry.matrix;
  json["fov_mm"] = geometry.fov_mm;
  json["position"] = geometry.position;
  json["read_dir"] = geometry.read_dir;
  json["phase_dir"] = geometry.phase_dir;
  json["slice_dir"] = geometry.slice_dir;
  return json;
}

Vec3 vector_of(const Json& json, const char* name) {
  const Vec3 values = json.at(name).get<Vec3>();
  for (const double value : values)
    if (!std::isfinite(value)) throw std::runtime_error(fmt::format("{} is not finite", name));
  return values;
}

ImageGeometry geometry_of(const Json& json) {
  ImageGeometry geometry;
  for (const Json& extent : json.at("matrix"))
    if (!extent.is_number_integer()) throw std::runtime_error("matrix holds what is no whole number");
  geometry.matrix = json.at("matrix").get<std::array<Index, 3>>();
  geometry.fov_mm = vector_of(json, "fov_mm");
  geometry.position = vector_of(json, "position");
  geometry.read_dir = vector_of(json, "read_dir");
  geometry.phase_dir = vector_of(json, "phase_dir");
  geometry.slice_dir = vector_of(json, "slice_dir");
  const Vec3* directions[] = {&geometry.read_dir, &geometry.phase_dir, &geometry.slice_dir};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b <= a; ++b) {
      double product = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) product += (*directions[a])[axis] * (*directions[b])[axis];
      constexpr double tolerance = 1e-2;
      if (!(std::abs(product - (a == b ? 1 : 0)) < tolerance))
        throw std::runtime_error(
            "read_dir, phase_dir and slice_dir have to be of length 1 and at right angles");
    }
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (geometry.matrix[axis] < 1 || geometry.matrix[axis] > largest_matrix || !(geometry.fov_mm[axis] > 0))
      throw std::runtime_error("matrix and fov_mm have to be positive");
  return geometry;
}

std::string geometry_text(Maps maps, const std::vector<ImageGeometry>& geometry) {
  WrittenJson json;
  json["format"] = geometry_format;
  json["coordinates"] = std::string(coordinates) + "; voxel floor(N/2) of every axis lies at position";
  json["checksum"] = checksum_of(maps);
  json["images"] = WrittenJson::array();
  for (const ImageGeometry& one : geometry)
    if (one.orientation_known) json["images"].push_back(json_of(one));
  return json.dump(1) + "\n";
}

std::vector<ImageGeometry> read_geometry(const std::string& path, Maps maps) {
  const std::string beside = maps_geometry_path(path);
  std::error_code status;
  if (!std::filesystem::exists(beside, status)) return {};
  bool other_numbers = false;
  std::vector<ImageGeometry> result;
  try {
    const std::string text = read_whole(beside, most_geometry_bytes);
    require_levels(text, geometry_levels);
    const Json json = Json::parse(text);
    // A file written by hand may have none.
    other_numbers = json.contains("checksum") && json.at("checksum").get<std::string>() != checksum_of(maps);
    if (json.contains("coordinates") && !json.at("coordinates").get<std::string>().starts_with(coordinates))
      throw std::runtime_error(fmt::format("coordinates have to be \"{}\"", coordinates));
    for (const Json& image : json.at("images")) result.push_back(geometry_of(image));
  } catch (const std::exception& error) {
    throw input_error("{} should give the position of the coil maps {}: {}; correct or remove it", beside,
                      path, error.what());
  }
  if (other_numbers)
    throw input_error("{} does not belong to the coil maps {}: remove it, or write both again", beside, path);
  return result;
}

// One image for each slice and set, as the image writers require.
ImageSeries as_images(Maps maps, const std::vector<ImageGeometry>& geometry, Index sets) {
  const auto slices = static_cast<Index>(geometry.size());
  const ImageGeometry& first = geometry.front();
  const Index pixels = first.matrix[0] * first.matrix[1] * first.matrix[2];
  const Index coils = maps.size() / (pixels * sets * slices);
  const Shape shape{coils, first.matrix[2], first.matrix[1], first.matrix[0]};
  ImageSeries series;
  series.kind = ImageKind::complex;
  for (Index i = 0; i < slices * sets; ++i) {
    Image image{Array<std::complex<float>>(shape), geometry[static_cast<std::size_t>(i / sets)], {}, 0};
    image.counters.slice = static_cast<std::uint16_t>(i / sets);
    image.counters.set = static_cast<std::uint16_t>(i % sets);
    std::copy_n(maps.data() + i * shape.size(), shape.size(), image.pixels.data());
    series.images.push_back(std::move(image));
  }
  return series;
}

}  // namespace

std::string maps_geometry_path(const std::string& path) {
  return is_for(FormatUse::array, path) ? path + ".json" : std::string();
}

PlacedMaps read_coil_maps(const std::string& path) {
  PlacedMaps result = placed_maps_of(read_images(path), path);
  if (is_for(FormatUse::array, path)) result.geometry = read_geometry(path, result.maps);
  return result;
}

WrittenFiles write_coil_maps(const std::string& path, Maps maps, const std::vector<ImageGeometry>& geometry,
                             Index sets, bool overwrite) {
  const Index slices = static_cast<Index>(geometry.size());
  if (geometry.empty() || sets < 1 ||
      maps.size() % (slices * sets * geometry.front().matrix[0] * geometry.front().matrix[1] *
                     geometry.front().matrix[2]) !=
          0)
    throw usage_error("coil maps of shape {} for {} images", maps.shape().to_string(), slices);
  // Readers expect one group of images, in which all have one field of view.
  if (path.ends_with(".h5"))
    for (const ImageGeometry& one : geometry)
      if (one.fov_mm != geometry.front().fov_mm)
        throw usage_error(
            "output {}: ISMRMRD images hold coil maps of one field of view, these have several: write .npy "
            "or .cfl",
            path);
  if (!is_for(FormatUse::array, path))
    return write_images(path, as_images(maps, geometry, sets), {.overwrite = overwrite});
  const FileBeside beside{maps_geometry_path(path), geometry_text(maps, geometry)};
  if (path.ends_with(".cfl")) {
    const int outer = maps.shape().rank() - (slices > 1 ? 1 : 0) - (sets > 1 ? 1 : 0);
    write_cfl_maps(path, maps, outer == 4, sets, overwrite, {beside});
  } else {
    write_npy(path, maps, overwrite, {beside});
  }
  return {{path, beside.target}, {}};
}

void check_maps_path(const std::string& path, bool overwrite, const std::vector<std::string>& inputs) {
  if (is_for(FormatUse::images, path) && !is_for(FormatUse::maps, path))
    throw usage_error("output {}: the extension is not one for coil maps: expected {}", path,
                      extensions_for(FormatUse::maps));
  check_output_path(path, {.overwrite = overwrite}, inputs);
  if (is_for(FormatUse::array, path)) check_target(maps_geometry_path(path), overwrite, inputs);
}

}  // namespace larmor
