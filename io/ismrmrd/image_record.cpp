#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/io/ismrmrd/image_record.hpp>

#include <pugixml.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <sstream>
#include <vector>

namespace larmor::ismrmrd {

using hdf5::ImageHeaderRecord;

namespace {

// Values of ISMRMRD_DataTypes.
constexpr std::uint16_t type_float = 5, type_complex_float = 7;

// ISMRMRD_ImageTypes, from 1: magnitude, phase, real, imaginary, complex.
std::uint16_t image_type_of(ImageKind kind) {
  switch (kind) {
    case ImageKind::magnitude:
      return 1;
    case ImageKind::phase:
      return 2;
    case ImageKind::real:
      return 3;
    case ImageKind::complex:
      return 5;
  }
  return 0;
}

}  // namespace

ImageHeaderRecord image_record(const Image& image, const SeriesShape& shape, ImageKind kind,
                               std::size_t index) {
  ImageHeaderRecord record{};
  // The record is packed: its members may have any address.
  const auto put = [&record](std::size_t offset, const auto& values) {
    std::memcpy(reinterpret_cast<std::byte*>(&record) + offset, values.data(), sizeof values);
  };
  const auto floats = [](const Vec3& v) {
    return std::array{static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
  };
  // Unknown directions are zero.
  const auto direction = [&](const Vec3& v) { return floats(image.geometry.orientation_known ? v : Vec3{}); };
  record.version = 1;
  record.data_type = kind == ImageKind::complex ? type_complex_float : type_float;
  put(offsetof(ImageHeaderRecord, matrix_size),
      std::array{static_cast<std::uint16_t>(shape.x), static_cast<std::uint16_t>(shape.y),
                 static_cast<std::uint16_t>(shape.z)});
  put(offsetof(ImageHeaderRecord, field_of_view), floats(image.geometry.fov_mm));
  record.channels = static_cast<std::uint16_t>(shape.coils);
  put(offsetof(ImageHeaderRecord, position), floats(image.geometry.position));
  put(offsetof(ImageHeaderRecord, read_dir), direction(image.geometry.read_dir));
  put(offsetof(ImageHeaderRecord, phase_dir), direction(image.geometry.phase_dir));
  put(offsetof(ImageHeaderRecord, slice_dir), direction(image.geometry.slice_dir));
  record.slice = image.counters.slice;
  record.contrast = image.counters.contrast;
  record.phase = image.counters.phase;
  record.repetition = image.counters.repetition;
  record.set = image.counters.set;
  record.acquisition_time_stamp = image.acquisition_time_stamp;
  record.image_type = image_type_of(kind);
  record.image_index = static_cast<std::uint16_t>(index);
  return record;
}

// Names known to readers of the ISMRMRD library's MetaContainer, Gadgetron and the ISMRMRD servers.
std::string image_attributes(const Image& image, ImageKind kind, const Measurement& facts,
                             const std::vector<std::pair<std::string, std::string>>& more) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("ismrmrdMeta");
  const auto add = [&root](const std::string& name, const std::vector<std::string>& values) {
    pugi::xml_node meta = root.append_child("meta");
    meta.append_child("name").text().set(name.c_str());
    for (const std::string& value : values) meta.append_child("value").text().set(value.c_str());
  };
  const auto direction = [&](const char* name, const Vec3& v) {
    add(name, {fmt::format("{:.9g}", v[0]), fmt::format("{:.9g}", v[1]), fmt::format("{:.9g}", v[2])});
  };
  add("DataRole", {"Image"});
  add("ImageType", {to_string(kind)});
  add("ImageProcessingHistory", {std::string("Larmor ") + version()});
  direction("ImageRowDir", image.geometry.read_dir);
  direction("ImageColumnDir", image.geometry.phase_dir);
  direction("ImageSliceNormDir", image.geometry.slice_dir);
  if (const auto echo = facts.of_contrast(facts.sequence.echo_ms, image.counters.contrast))
    add("EchoTime", {fmt::format("{}", *echo)});
  for (const auto& [name, value] : more) add(name, {value});
  std::ostringstream text;
  document.save(text, "", pugi::format_raw);
  return text.str();
}

}  // namespace larmor::ismrmrd
