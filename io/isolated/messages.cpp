#include <larmor/io/isolated/messages.hpp>

#include <cstring>
#include <limits>

namespace larmor::isolated {
namespace {

using hdf5::AcquisitionHeaderRecord;
using hdf5::WaveformHeaderRecord;
using ismrmrd::RowLengths;
using ismrmrd::RowPlaces;

static_assert(sizeof(MessageHead) == 48 && sizeof(RowLengths) == 16 && sizeof(RowPlaces) == 32 &&
              alignof(AcquisitionHeaderRecord) == 1);

using Bytes = std::span<const std::byte>;

// `count` values, and nothing after them.
template <typename T>
std::optional<std::span<const T>> exactly(Bytes bytes, std::uint64_t count) {
  if (bytes.size() % sizeof(T) != 0 || bytes.size() / sizeof(T) != count) return std::nullopt;
  return std::span<const T>(reinterpret_cast<const T*>(bytes.data()), count);
}

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<Message> parse_values(const MessageHead& head, Bytes rest) {
  if (head.count > rest.size() / sizeof(RowLengths)) return std::nullopt;
  const std::size_t lengths_bytes = head.count * sizeof(RowLengths);
  const std::span lengths(reinterpret_cast<const RowLengths*>(rest.data()), head.count);
  const auto numbers = rest.subspan(lengths_bytes);
  std::uint64_t left = numbers.size() / sizeof(float);
  for (const RowLengths& row : lengths) {
    if (row.trajectory > left || row.data > left - row.trajectory || row.data % 2 != 0) return std::nullopt;
    left -= row.trajectory + row.data;
  }
  const auto floats = exactly<float>(numbers, numbers.size() / sizeof(float));
  if (left != 0 || !floats) return std::nullopt;
  return Values{head.first, lengths, *floats};
}

std::optional<Message> parse_images(const MessageHead& head, Bytes rest) {
  const auto extents = exactly<std::uint64_t>(rest, head.count);
  if (!extents || extents->size() < 2 || extents->size() > ismrmrd::most_image_axes || head.first > 1)
    return std::nullopt;
  std::uint64_t left = std::numeric_limits<std::int64_t>::max() / (2 * sizeof(float));
  for (const std::uint64_t extent : *extents) {
    if (extent == 0 || extent > left) return std::nullopt;
    left /= extent;
  }
  return Images{*extents, head.lacking, head.first == 1};
}

}  // namespace

std::optional<Message> parse_message(Bytes bytes) {
  MessageHead head;
  const MessageHead expected;
  if (bytes.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (std::memcmp(head.signature, expected.signature, sizeof head.signature) != 0 ||
      head.format != message_format)
    return std::nullopt;
  const Bytes rest = bytes.subspan(sizeof head);
  switch (head.kind) {
    case MessageKind::failed:
      if (rest.size() > most_error_bytes || head.count > rest.size()) return std::nullopt;
      return Failed{head.first, text_of(rest.first(head.count)), text_of(rest.subspan(head.count))};
    case MessageKind::table:
      if (rest.size() > most_xml_bytes) return std::nullopt;
      return Table{head.count, head.lacking, text_of(rest)};
    case MessageKind::headers: {
      const auto records = exactly<AcquisitionHeaderRecord>(rest, head.count);
      if (!records) return std::nullopt;
      return Headers{head.first, *records};
    }
    case MessageKind::values:
      return parse_values(head, rest);
    case MessageKind::images:
      return parse_images(head, rest);
    case MessageKind::pixels: {
      const auto numbers = exactly<float>(rest, head.count);
      if (!numbers) return std::nullopt;
      return Pixels{*numbers};
    }
    case MessageKind::places: {
      const auto rows = exactly<RowPlaces>(rest, head.count);
      if (!rows) return std::nullopt;
      return Places{head.first, *rows};
    }
    case MessageKind::waveform: {
      WaveformPiece piece;
      if (rest.size() < sizeof piece.head) return std::nullopt;
      std::memcpy(&piece.head, rest.data(), sizeof piece.head);
      const auto values = exactly<std::uint32_t>(
          rest.subspan(sizeof piece.head), std::uint64_t{piece.head.number_of_samples} * piece.head.channels);
      if (!values) return std::nullopt;
      piece.values = *values;
      return piece;
    }
    case MessageKind::finished:
      if (!rest.empty()) return std::nullopt;
      return Finished{};
  }
  return std::nullopt;
}

}  // namespace larmor::isolated
