#pragma once

#include <larmor/io/ismrmrd/stored/sink.hpp>
#include <larmor/io/isolated/segment.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

// What the isolated reader says; no part of the public interface.
//
// A message is a segment of memory: a MessageHead, then what its kind has. Whoever reads one trusts nothing
// in it: parse_message() is a pure function of the bytes, and what it returns points into them.

namespace larmor::isolated {

/// Changes with every change of messages: both programs are of one installation.
inline constexpr std::uint32_t message_format = 3;

enum class MessageKind : std::uint32_t {
  failed = 1,
  table,
  headers,
  values,
  images,
  pixels,
  finished,
  places
};

struct MessageHead {
  char signature[8] = {'L', 'a', 'r', 'm', 'o', 'r', 'R', 'd'};
  std::uint32_t format = message_format;
  MessageKind kind = MessageKind::finished;
  std::uint64_t first =
      0;  ///< headers, values, places: row; failed: class of the error; images: 1 for complex pixels
  std::uint64_t count = 0;    ///< table, headers, values, places: rows; images: axes; pixels: floats; failed:
                              ///< bytes of the parameter, before the text
  std::uint64_t lacking = 0;  ///< table, images: what the kernel had no means for
};

/// It could not be read.
struct Failed {
  std::uint64_t error_class;
  std::string_view parameter, text;  ///< what it is about, and what happened
};
/// The table of acquisitions; of images the XML alone.
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
  std::span<const ismrmrd::RowPlaces> rows;  ///< whether they are in the file is not known
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
struct Finished {};

using Message = std::variant<Failed, Table, Headers, Values, Images, Pixels, Finished, Places>;

/// The longest text of an error, and XML header.
inline constexpr std::size_t most_error_bytes = 4096, most_xml_bytes = std::size_t{8} << 20;

/// Nothing when the bytes are no message: another format, sizes that contradict each other, more or less than
/// the counts say. `bytes` starts at an address that is a multiple of 8, as mapped memory does.
std::optional<Message> parse_message(std::span<const std::byte> bytes);

}  // namespace larmor::isolated
