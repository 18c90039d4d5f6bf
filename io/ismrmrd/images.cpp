#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/hdf5/output.hpp>
#include <larmor/io/images/measurement.hpp>
#include <larmor/io/ismrmrd/images.hpp>
#include <larmor/io/ismrmrd/stored/types.hpp>

#include <hdf5.h>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace larmor {
namespace {

using hdf5::Handle;
using hdf5::ImageHeaderRecord;

// Values of ISMRMRD_DataTypes and ISMRMRD_ImageTypes.
constexpr std::uint16_t type_float = 5, type_complex_float = 7;
constexpr std::uint16_t image_magnitude = 1, image_phase = 2, image_complex = 5;

ImageHeaderRecord to_record(const Image& image, const SeriesShape& shape, ImageKind kind, std::size_t index) {
  ImageHeaderRecord record{};
  // The record is packed: its members may lie at any address.
  const auto put = [&record](std::size_t offset, const auto& values) {
    std::memcpy(reinterpret_cast<std::byte*>(&record) + offset, values.data(), sizeof values);
  };
  const auto floats = [](const Vec3& v) {
    return std::array{static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
  };
  record.version = 1;
  record.data_type = kind == ImageKind::complex ? type_complex_float : type_float;
  put(offsetof(ImageHeaderRecord, matrix_size),
      std::array{static_cast<std::uint16_t>(shape.x), static_cast<std::uint16_t>(shape.y),
                 static_cast<std::uint16_t>(shape.z)});
  put(offsetof(ImageHeaderRecord, field_of_view), floats(image.geometry.fov_mm));
  record.channels = static_cast<std::uint16_t>(shape.coils);
  put(offsetof(ImageHeaderRecord, position), floats(image.geometry.position));
  put(offsetof(ImageHeaderRecord, read_dir), floats(image.geometry.read_dir));
  put(offsetof(ImageHeaderRecord, phase_dir), floats(image.geometry.phase_dir));
  put(offsetof(ImageHeaderRecord, slice_dir), floats(image.geometry.slice_dir));
  record.slice = image.counters.slice;
  record.contrast = image.counters.contrast;
  record.phase = image.counters.phase;
  record.repetition = image.counters.repetition;
  record.set = image.counters.set;
  record.acquisition_time_stamp = image.acquisition_time_stamp;
  record.image_type = kind == ImageKind::complex ? image_complex
                      : kind == ImageKind::phase ? image_phase
                                                 : image_magnitude;
  record.image_index = static_cast<std::uint16_t>(index);
  return record;
}

// What readers of the ISMRMRD library's MetaContainer find, with the names that Gadgetron and the servers of
// ISMRMRD use.
std::string meta_of(const Image& image, ImageKind kind, const Measurement& facts) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("ismrmrdMeta");
  const auto add = [&root](const char* name, const std::vector<std::string>& values) {
    pugi::xml_node meta = root.append_child("meta");
    meta.append_child("name").text().set(name);
    for (const std::string& value : values) meta.append_child("value").text().set(value.c_str());
  };
  const auto direction = [&](const char* name, const Vec3& v) {
    add(name, {fmt::format("{:.9g}", v[0]), fmt::format("{:.9g}", v[1]), fmt::format("{:.9g}", v[2])});
  };
  add("DataRole", {"Image"});
  add("ImageType", {kind == ImageKind::complex ? "complex"
                    : kind == ImageKind::phase ? "phase"
                                               : "magnitude"});
  add("ImageProcessingHistory", {std::string("Larmor ") + version()});
  direction("ImageRowDir", image.geometry.read_dir);
  direction("ImageColumnDir", image.geometry.phase_dir);
  direction("ImageSliceNormDir", image.geometry.slice_dir);
  if (const auto echo = facts.echo_ms_of(image.counters.contrast))
    add("EchoTime", {fmt::format("{}", *echo)});
  std::ostringstream text;
  document.save(text, "", pugi::format_raw);
  return text.str();
}

void write_headers(const hdf5::Output& output, hid_t group, const ImageSeries& series,
                   const std::vector<std::size_t>& members, const SeriesShape& shape, hid_t properties) {
  const Measurement facts = measurement_of(series.ismrmrd_header);
  std::vector<ImageHeaderRecord> headers;
  std::vector<std::string> meta;
  for (const std::size_t i : members) {
    headers.push_back(to_record(series.images[i], shape, series.kind, i));
    meta.push_back(meta_of(series.images[i], series.kind, facts));
    headers.back().attribute_string_len = static_cast<std::uint32_t>(meta.back().size());
  }
  const Handle type = hdf5::image_header_type();
  const hsize_t count = headers.size(), unlimited = H5S_UNLIMITED;
  const Handle space(H5Screate_simple(1, &count, &unlimited));
  const Handle dataset(H5Dcreate2(group, "header", type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  output.require(dataset);
  output.require(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, headers.data()));

  // One text for every image.
  const Handle text(H5Tcopy(H5T_C_S1));
  output.require(H5Tset_size(text, H5T_VARIABLE));
  const Handle attributes(H5Dcreate2(group, "attributes", text, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  output.require(attributes);
  std::vector<const char*> texts;
  for (const std::string& one : meta) texts.push_back(one.c_str());
  output.require(H5Dwrite(attributes, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()));
}

void write_pixels(const hdf5::Output& output, hid_t group, const ImageSeries& series,
                  const std::vector<std::size_t>& members, const SeriesShape& shape) {
  const bool complex = series.kind == ImageKind::complex;
  const Handle type = complex ? hdf5::complex_type(H5T_NATIVE_FLOAT) : Handle(H5Tcopy(H5T_NATIVE_FLOAT));
  const auto extent = [](Index n) { return static_cast<hsize_t>(n); };
  const hsize_t extents[5] = {members.size(), extent(shape.coils), extent(shape.z), extent(shape.y),
                              extent(shape.x)};
  hsize_t most[5], one_image[5];
  std::copy(extents, extents + 5, most);
  std::copy(extents, extents + 5, one_image);
  most[0] = H5S_UNLIMITED;
  one_image[0] = 1;
  const Handle space(H5Screate_simple(5, extents, most));
  const Handle properties = output.dataset_properties();
  // A chunk of HDF5 has less than 4 GiB: large images are cut along their slowest axes.
  hsize_t chunk[5];
  std::copy(one_image, one_image + 5, chunk);
  const std::size_t pixel_bytes = H5Tget_size(type);
  for (int axis = 1; axis < 4; ++axis) {
    const hsize_t rest = chunk[1] * chunk[2] * chunk[3] * chunk[4] / chunk[axis] * pixel_bytes;
    chunk[axis] = std::clamp<hsize_t>((std::uint64_t{1} << 30) / rest, 1, chunk[axis]);
  }
  output.require(H5Pset_chunk(properties, 5, chunk));
  const Handle dataset(H5Dcreate2(group, "data", type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  output.require(dataset);
  const Handle memory_space(H5Screate_simple(5, one_image, nullptr));
  for (std::size_t i = 0; i < members.size(); ++i) {
    const hsize_t start[5] = {i, 0, 0, 0, 0};
    output.require(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, one_image, nullptr));
    const View<const std::complex<float>> pixels = series.images[members[i]].pixels.view();
    std::vector<float> values;
    if (!complex) values = real_pixels(pixels, series.kind);
    const void* from = complex ? static_cast<const void*>(pixels.data()) : values.data();
    output.require(H5Dwrite(dataset, type, memory_space, space, H5P_DEFAULT, from));
  }
}

// Images of one field of view each, in the order of the first of them.
std::vector<std::vector<std::size_t>> by_field_of_view(const ImageSeries& series) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < series.images.size(); ++i) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return series.images[group.front()].geometry.fov_mm == series.images[i].geometry.fov_mm;
    });
    if (same == groups.end())
      groups.push_back({i});
    else
      same->push_back(i);
  }
  return groups;
}

}  // namespace

void write_ismrmrd_images(const std::string& path, const ImageSeries& series, bool overwrite) {
  const SeriesShape shape = series_shape(series);
  for (const Index extent : {shape.x, shape.y, shape.z, shape.coils})
    if (extent > 65535) throw usage_error("ISMRMRD images have no extent of {}; the most is 65535", extent);
  hdf5::Output output(path, overwrite);
  {
    const Handle dataset = output.make_group("dataset");
    if (!series.ismrmrd_header.empty()) output.write_text(dataset, "xml", series.ismrmrd_header);
    const std::vector<std::vector<std::size_t>> groups = by_field_of_view(series);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Handle group = output.make_group(fmt::format("dataset/image_{}", g));
      const Handle by_image = output.dataset_properties();
      const hsize_t chunk = groups[g].size();
      output.require(H5Pset_chunk(by_image, 1, &chunk));
      write_headers(output, group, series, groups[g], shape, by_image);
      write_pixels(output, group, series, groups[g], shape);
    }
  }
  output.commit();
}

}  // namespace larmor
