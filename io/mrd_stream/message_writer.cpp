#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/images/measurement.hpp>
#include <larmor/io/ismrmrd/image_record.hpp>
#include <larmor/io/ismrmrd/readout_record.hpp>
#include <larmor/io/mrd_stream/message_writer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace larmor::mrd {
namespace {

constexpr std::uint16_t type_int16 = 2;

class Bytes {
 public:
  template <typename T>
  Bytes& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return put(&value, sizeof value);
  }
  Bytes& put(const void* from, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + size);
    return *this;
  }
  Bytes& put(const std::string& text) { return put(text.data(), text.size()); }
  operator std::span<const std::byte>() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

void put_readout(hdf5::ImageHeaderRecord& record, const Acquisition& readout) {
  hdf5::AcquisitionHeaderRecord head;
  std::memcpy(&head, readout.record.data(), sizeof head);
  record.measurement_uid = head.measurement_uid;
  record.average = head.idx.average;
  record.acquisition_time_stamp = head.acquisition_time_stamp;
  // Both records are packed: their arrays may have any address.
  std::memcpy(&record.patient_table_position, &head.patient_table_position,
              sizeof head.patient_table_position);
  std::memcpy(&record.physiology_time_stamp, &head.physiology_time_stamp, sizeof head.physiology_time_stamp);
  std::memcpy(&record.user_int, &head.user_int, sizeof head.user_int);
  std::memcpy(&record.user_float, &head.user_float, sizeof head.user_float);
}

SeriesShape shape_of(const Image& image) {
  const Shape& shape = image.pixels.shape();
  const int first = shape.rank() - 3;  // 1 where coils come first
  return {1, first > 0 ? shape[0] : 1, shape[first], shape[first + 1], shape[first + 2]};
}

std::vector<std::int16_t> scaled(const std::vector<float>& values, double scale) {
  std::vector<std::int16_t> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [scale](float value) {
    return static_cast<std::int16_t>(std::clamp(std::round(value * scale), 0.0, 32767.0));
  });
  return result;
}

}  // namespace

void MessageWriter::text_message(MessageId id, const std::string& text) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max())
    throw usage_error("a text of {} bytes is too long for a message; the maximum is 4294967295", text.size());
  write_(Bytes().put(id).put(static_cast<std::uint32_t>(text.size())).put(text));
}

void MessageWriter::config_file(const std::string& name) {
  std::array<char, config_name_bytes> padded{};
  if (name.size() >= padded.size())
    throw usage_error("a configuration name of {} characters is too long for a message; the maximum is 1023",
                      name.size());
  std::copy(name.begin(), name.end(), padded.begin());
  write_(Bytes().put(MessageId::config_file).put(padded));
}

void MessageWriter::acquisition(const Acquisition& acquisition) {
  write_(Bytes()
             .put(MessageId::acquisition)
             .put(acquisition.record)
             .put(acquisition.numbers.data(), acquisition.numbers.size() * sizeof(float)));
}

void MessageWriter::image(const Image& image, const ImagePlace& place) {
  const SeriesShape shape = shape_of(image);
  for (const Index extent : {shape.x, shape.y, shape.z, shape.coils})
    if (extent > 65535)
      throw usage_error("an extent of {} is too large for MRD images; the maximum is 65535", extent);
  hdf5::ImageHeaderRecord record = ismrmrd::image_record(image, shape, place.kind, place.index);
  record.image_series_index = place.series;
  if (place.readout != nullptr) put_readout(record, *place.readout);
  const bool integers = place.kind == ImageKind::magnitude && place.pixels == PixelType::int16;
  std::vector<std::pair<std::string, std::string>> more{{"Keep_image_geometry", "1"}};
  if (integers) {
    record.data_type = type_int16;
    more.emplace_back("WindowCenter", fmt::format("{:.0f}", (largest_int16_pixel + 1) / 2));
    more.emplace_back("WindowWidth", fmt::format("{:.0f}", largest_int16_pixel + 1));
    more.emplace_back("RescaleSlope", fmt::format("{:.9g}", 1 / place.scale));
    more.emplace_back("RescaleIntercept", "0");
  }
  const std::string attributes =
      ismrmrd::image_attributes(image, place.kind, measurement_of(place.scan_header), more);
  record.attribute_string_len = static_cast<std::uint32_t>(attributes.size());
  Bytes bytes;
  bytes.put(MessageId::image).put(record).put(std::uint64_t{attributes.size()}).put(attributes);
  write_(bytes);
  const View<const std::complex<float>> pixels = image.pixels.view();
  if (place.kind == ImageKind::complex) return write_(std::as_bytes(std::span(pixels.begin(), pixels.end())));
  // The client reads a part while the next one is computed.
  constexpr Index part = 1 << 16;
  for (Index first = 0; first < pixels.size(); first += part) {
    const Index count = std::min(part, pixels.size() - first);
    const std::vector<float> values = real_pixels({pixels.data() + first, {count}}, place.kind);
    std::vector<std::int16_t> whole;
    if (integers) whole = scaled(values, place.scale);
    write_(integers ? std::as_bytes(std::span(whole)) : std::as_bytes(std::span(values)));
  }
}

void MessageWriter::response(std::uint64_t correlation, const std::string& text) {
  write_(Bytes().put(MessageId::response).put(correlation).put(std::uint64_t{text.size()}).put(text));
}

void MessageWriter::close() {
  write_(Bytes().put(MessageId::close));
}

Acquisition make_acquisition(const Scan& scan, const Readout& readout) {
  Acquisition result;
  result.header = readout.header;
  const hdf5::AcquisitionHeaderRecord record = ismrmrd::to_record(readout.header);
  std::memcpy(result.record.data(), &record, sizeof record);
  const std::size_t coordinates = result.trajectory_values();
  const std::size_t samples = std::size_t{readout.header.samples} * readout.header.active_channels;
  if (!scan.has_samples(readout) || readout.trajectory_offset + coordinates > scan.trajectory.size())
    throw internal_error("a readout exceeds its scan's data");
  const float* trajectory = scan.trajectory.data() + readout.trajectory_offset;
  const auto* data = reinterpret_cast<const float*>(scan.samples(readout));
  result.numbers.assign(trajectory, trajectory + coordinates);
  result.numbers.insert(result.numbers.end(), data, data + 2 * samples);
  return result;
}

}  // namespace larmor::mrd
