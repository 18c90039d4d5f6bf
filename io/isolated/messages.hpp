#pragma once

#include <larmor/io/ismrmrd/stored/sink.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

// Messages of the isolated reader; not part of the public interface. A message is a MessageHead, then the
// fields of its kind. Readers trust nothing in it: parse_message() is a pure function of the bytes, and its
// result points into them.

namespace larmor::isolated {

/// Changes whenever messages change: both programs must be of one installation.
inline constexpr std::uint32_t message_format = 5;

enum class MessageKind : std::uint32_t {
  failed = 1,
  table,
  headers,
  values,
  images,
  pixels,
  finished,
  places,
  waveform
};

struct MessageHead {
  char signature[8] = {'L', 'a', 'r', 'm', 'o', 'r', 'R', 'd'};
  std::uint32_t format = message_format;
  MessageKind kind = MessageKind::finished;
  std::uint64_t first =
      0;  ///< headers, values, places: row; failed: class of the error; images: 1 for complex pixels
  std::uint64_t count = 0;    ///< table, headers, values, places: rows; images: axes; pixels: floats; failed:
                              ///< bytes of the parameter, before the text
  std::uint64_t lacking = 0;  ///< table, images: kernel features that were missing
  std::uint64_t bytes = 0;    ///< that follow
};

/// The file could not be read.
struct Failed {
  std::uint64_t error_class;
  std::string_view parameter, text;  ///< its subject, and the error
};
/// The table of acquisitions; for images only the XML.
struct Table {
  std::uint64_t rows, lacking;
  std::string_view xml;
};
struct Headers {
  std::uint64_t first;
  std::span<const hdf5::AcquisitionHeaderRecord> records;
};
struct Values {
  std::uint64_t first;
  std::span<const ismrmrd::RowLengths> lengths;  ///< their sum is the number of numbers
  std::span<const float> numbers;
};
struct Places {
  std::uint64_t first;
  std::span<const ismrmrd::RowPlaces> rows;  ///< not yet known to be in the file
};
/// Axes of images; their product does not overflow.
struct Images {
  std::span<const std::uint64_t> extents;
  std::uint64_t lacking;
  bool complex;
};
struct Pixels {
  std::span<const float> numbers;
};
struct WaveformPiece {
  hdf5::WaveformHeaderRecord head;
  std::span<const std::uint32_t> values;  ///< channels × samples of the header
};
struct Finished {};

using Message = std::variant<Failed, Table, Headers, Values, Images, Pixels, Finished, Places, WaveformPiece>;

/// The longest text of an error, and XML header.
inline constexpr std::size_t most_error_bytes = 4096, most_xml_bytes = std::size_t{8} << 20;

/// Nothing if the bytes are not a valid message: another format, inconsistent sizes, more or fewer bytes than
/// the counts say. `bytes` starts at an address that is a multiple of 8, as mapped memory does.
std::optional<Message> parse_message(std::span<const std::byte> bytes);

}  // namespace larmor::isolated
