#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/io/ismrmrd/readout_record.hpp>
#include <larmor/io/mrd_stream/message_reader.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace larmor::mrd {
namespace {

constexpr std::uint64_t most_text_bytes = std::uint64_t{64} << 20;     // headers with embedded files included
constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20;          // read at a time
constexpr std::size_t waveform_header_bytes = 40;                      // as ISMRMRD 1 packs it
constexpr std::uint64_t zfp_flag = std::uint64_t{1} << 52;             // flag 53
constexpr std::uint64_t compression_flags = std::uint64_t{0xf} << 52;  // flags 53 to 56
constexpr std::uint16_t hdf5_signature = 0x4889;                       // the first bytes, 0x89 and H
constexpr double pixel_bytes[] = {0, 2, 2, 4, 4, 4, 8, 8, 16};         // of ISMRMRD's data types

template <typename T>
T at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

double bytes_of_type(std::uint16_t type, const char* what) {
  if (type == 0 || type >= std::size(pixel_bytes))
    throw input_error("{} of data type {}; ISMRMRD has 1 to 8", what, type);
  return pixel_bytes[type];
}

}  // namespace

MessageReader::MessageReader(ReadBytes read, std::uint64_t most_bytes, Decompress zfp)
    : read_(std::move(read)), zfp_(std::move(zfp)), most_bytes_(most_bytes) {}

void MessageReader::take(std::span<std::byte> to) {
  if (const std::size_t got = read_(to); got < to.size())
    throw input_error("the stream ends within message {}: {} more bytes were expected", count_,
                      to.size() - got);
}

template <typename T>
T MessageReader::take() {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  take(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

void MessageReader::require_room(double bytes) const {
  if (bytes > static_cast<double>(most_bytes_))
    throw input_error("message {} would have {}; at most {} are accepted", count_,
                      format_bytes(static_cast<std::size_t>(std::min(bytes, 1e18))),
                      format_bytes(most_bytes_));
}

template <typename T>
void MessageReader::append(std::vector<T>& to, std::uint64_t count) {
  while (count > 0) {
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(count, piece_bytes / sizeof(T)));
    const std::size_t before = to.size();
    to.resize(before + now);
    take(std::as_writable_bytes(std::span(to).subspan(before)));
    count -= now;
  }
}

std::string MessageReader::take_text(std::uint64_t bytes) {
  require_room(static_cast<double>(bytes));
  if (bytes > most_text_bytes)
    throw input_error("message {} is a text of {}; at most {} are accepted", count_, format_bytes(bytes),
                      format_bytes(most_text_bytes));
  std::vector<char> text;
  append(text, bytes);
  // Some senders count a NUL at the end.
  return std::string(text.begin(), std::find(text.begin(), text.end(), '\0'));
}

void MessageReader::skip(std::uint64_t bytes) {
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(bytes, piece_bytes)));
  while (bytes > 0) {
    const std::span now = std::span(piece).first(static_cast<std::size_t>(std::min(bytes, piece_bytes)));
    take(now);
    bytes -= now.size();
  }
}

void MessageReader::skip(double bytes) {
  require_room(bytes);
  skip(static_cast<std::uint64_t>(bytes));
}

Acquisition MessageReader::take_acquisition() {
  Acquisition result;
  take(result.record);
  hdf5::AcquisitionHeaderRecord record;
  static_assert(sizeof record == sizeof result.record);
  std::memcpy(&record, result.record.data(), sizeof record);
  result.header = ismrmrd::to_header(record);
  const std::uint64_t trajectory = result.trajectory_values();
  const std::uint64_t samples = 2 * std::uint64_t{result.header.samples} * result.header.active_channels;
  result.compressed = (result.header.flags & compression_flags) != 0;
  require_room(static_cast<double>(trajectory + samples) * sizeof(float));
  append(result.numbers, trajectory);
  if (result.compressed)
    take_compressed(result, samples);
  else
    append(result.numbers, samples);
  return result;
}

// Once they are decompressed, the samples are like those of other readouts.
void MessageReader::take_compressed(Acquisition& acquisition, std::uint64_t samples) {
  if (samples == 0) return;  // Gadgetron's client then writes no length
  const auto bytes = take<std::uint32_t>();
  const std::uint64_t compression = acquisition.header.flags & compression_flags;
  if (!zfp_ || compression != zfp_flag) return skip(static_cast<double>(bytes));
  // Decompression takes the samples, and at most five times their size for its input (zfp_samples.cpp).
  require_room(6.0 * static_cast<double>(samples) * sizeof(float) + bytes);
  std::vector<std::byte> packed;
  append(packed, bytes);
  std::vector<float> unpacked(samples);
  if (!zfp_(acquisition.header, packed, unpacked)) return;
  acquisition.numbers.insert(acquisition.numbers.end(), unpacked.begin(), unpacked.end());
  acquisition.compressed = false;
  acquisition.header.flags &= ~compression;
  hdf5::AcquisitionHeaderRecord record;
  std::memcpy(&record, acquisition.record.data(), sizeof record);
  record.flags = acquisition.header.flags;
  std::memcpy(acquisition.record.data(), &record, sizeof record);
}

void MessageReader::skip_image() {
  std::array<std::byte, sizeof(hdf5::ImageHeaderRecord)> head;
  take(head);
  const double pixel = bytes_of_type(at<std::uint16_t>(head, 2), "an image");
  const double pixels = static_cast<double>(at<std::uint16_t>(head, 16)) * at<std::uint16_t>(head, 18) *
                        at<std::uint16_t>(head, 20) * at<std::uint16_t>(head, 34);
  skip(static_cast<double>(take<std::uint64_t>()));
  skip(pixels * pixel);
}

void MessageReader::skip_waveform() {
  std::array<std::byte, waveform_header_bytes> head;
  take(head);
  skip(4.0 * at<std::uint16_t>(head, 28) * at<std::uint16_t>(head, 30));
}

void MessageReader::skip_array() {
  take<std::uint16_t>();  // version
  double bytes = bytes_of_type(take<std::uint16_t>(), "an array");
  const auto axes = take<std::uint16_t>();
  bool empty = false;
  for (int i = 0; i < axes; ++i) {
    const auto size = take<std::uint64_t>();
    empty = empty || size == 0;
    bytes *= static_cast<double>(size);
  }
  skip(empty ? 0 : bytes);  // not the product, which may be infinite times 0
}

std::optional<Message> MessageReader::next() {
  std::uint16_t number = 0;
  const std::size_t got = read_(std::as_writable_bytes(std::span(&number, 1)));
  if (got == 0) return std::nullopt;
  ++count_;
  if (got < sizeof number) throw input_error("the stream ends within the number of message {}", count_);
  const auto id = static_cast<MessageId>(number);
  switch (id) {
    case MessageId::config_file: {
      std::array<char, config_name_bytes> name;
      take(std::as_writable_bytes(std::span(name)));
      return ConfigFile{std::string(name.begin(), std::find(name.begin(), name.end(), '\0'))};
    }
    case MessageId::config_text:
      return ConfigText{take_text(take<std::uint32_t>())};
    case MessageId::header:
      return Header{take_text(take<std::uint32_t>())};
    case MessageId::close:
      return Close{};
    case MessageId::text:
      return Text{take_text(take<std::uint32_t>())};
    case MessageId::query: {
      take<std::uint64_t>();  // reserved
      const auto correlation = take<std::uint64_t>();
      return Query{correlation, take_text(take<std::uint64_t>())};
    }
    case MessageId::response: {
      take<std::uint64_t>();  // correlation
      skip(static_cast<double>(take<std::uint64_t>()));
      return Skipped{id};
    }
    case MessageId::acquisition:
      return take_acquisition();
    case MessageId::image:
      skip_image();
      return Skipped{id};
    case MessageId::waveform:
      skip_waveform();
      return Skipped{id};
    case MessageId::array:
      skip_array();
      return Skipped{id};
  }
  if (count_ == 1 && number == hdf5_signature)
    throw input_error("the stream is an HDF5 file, expected MRD messages; recon run reads such files");
  throw input_error(
      "message {} has the number {}, which MRD streams do not have; nothing after it can be read", count_,
      number);
}

}  // namespace larmor::mrd
