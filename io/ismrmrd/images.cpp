#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/images/measurement.hpp>
#include <larmor/io/ismrmrd/images.hpp>
#include <larmor/io/ismrmrd/stored/records.hpp>
#include <larmor/io/ismrmrd/stored/source.hpp>
#include <larmor/io/isolated/writer_process.hpp>

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

// As write_images() takes them.
void put_group(isolated::WriterProcess& writer, const ImageSeries& series,
               const std::vector<std::size_t>& members, const SeriesShape& shape) {
  writer.put(ismrmrd::ImageGroup{members.size(), static_cast<std::uint64_t>(shape.coils),
                                 static_cast<std::uint64_t>(shape.z), static_cast<std::uint64_t>(shape.y),
                                 static_cast<std::uint64_t>(shape.x), series.kind == ImageKind::complex});
  const Measurement facts = measurement_of(series.ismrmrd_header);
  for (const std::size_t i : members) {
    const std::string meta = meta_of(series.images[i], series.kind, facts);
    ImageHeaderRecord header = to_record(series.images[i], shape, series.kind, i);
    header.attribute_string_len = static_cast<std::uint32_t>(meta.size());
    writer.put(header);
    writer.put_text(meta);
  }
  for (const std::size_t i : members) {
    const View<const std::complex<float>> pixels = series.images[i].pixels.view();
    if (series.kind == ImageKind::complex) {
      writer.put(pixels.data(), static_cast<std::size_t>(pixels.size()) * sizeof pixels[0]);
    } else {
      const std::vector<float> values = real_pixels(pixels, series.kind);
      writer.put(values.data(), values.size() * sizeof values[0]);
    }
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

void require_ismrmrd_images(const std::string&) {
  isolated::require_writer();
}

void write_ismrmrd_images(const std::string& path, const ImageSeries& series, bool overwrite) {
  const SeriesShape shape = series_shape(series);
  for (const Index extent : {shape.x, shape.y, shape.z, shape.coils})
    if (extent > 65535) throw usage_error("ISMRMRD images have no extent of {}; the most is 65535", extent);
  AtomicFile target(path, overwrite);
  isolated::WriterProcess writer(isolated::Contents::images, target);
  writer.put_text(series.ismrmrd_header);
  const std::vector<std::vector<std::size_t>> groups = by_field_of_view(series);
  writer.put(std::uint64_t{groups.size()});
  for (const std::vector<std::size_t>& members : groups) put_group(writer, series, members, shape);
  writer.finish();
  target.commit();
}

}  // namespace larmor
