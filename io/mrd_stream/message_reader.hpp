#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace LARMOR_API larmor {
namespace mrd {

/// The number in front of every message.
enum class MessageId : std::uint16_t {
  config_file = 1,
  config_text = 2,
  header = 3,
  close = 4,
  text = 5,
  query = 6,
  response = 7,
  acquisition = 1008,
  image = 1022,
  waveform = 1026,
  array = 1030
};

/// Size of a configuration's name in its message, padded with NUL.
inline constexpr std::size_t config_name_bytes = 1024;

struct ConfigFile {
  std::string name;
};
struct ConfigText {
  std::string text;
};
/// The ISMRMRD header.
struct Header {
  std::string xml;
};
struct Close {};
struct Text {
  std::string text;
};
/// Gadgetron's question about the server.
struct Query {
  std::uint64_t correlation = 0;
  std::string text;
};
struct Acquisition {
  std::array<std::byte, 340> record{};  ///< the header as it was sent
  ReadoutHeader header;                 ///< the same, parsed
  /// Trajectory [samples][dimensions], then samples [channels][samples] as pairs.
  std::vector<float> numbers;
  bool compressed = false;  ///< the samples were compressed and have been skipped

  /// Memory that it takes.
  std::size_t bytes() const { return sizeof *this + numbers.size() * sizeof(float); }
  /// Floats of the trajectory in `numbers`.
  std::size_t trajectory_values() const { return std::size_t{header.samples} * header.trajectory_dimensions; }
};
/// A message that was read completely but is not used: waveform, image, array, response.
struct Skipped {
  MessageId id = MessageId::waveform;
};

using Message = std::variant<ConfigFile, ConfigText, Header, Close, Text, Query, Acquisition, Skipped>;

/// Fills `to` with the stream's next bytes; returns their number, which is smaller only at the end of the
/// stream.
using ReadBytes = std::function<std::size_t(std::span<std::byte> to)>;

/// Decompresses the samples of a readout, which its header describes; returns false if it cannot.
using Decompress =
    std::function<bool(const ReadoutHeader&, std::span<const std::byte> from, std::span<float> to)>;

/// Splits a stream into messages. Every length is checked against a limit before memory is allocated, and
/// memory grows with the bytes that have arrived, not with the announced lengths.
class MessageReader {
 public:
  /// most_bytes: of one message. zfp: for samples that were compressed with ZFP; empty: they are skipped.
  MessageReader(ReadBytes read, std::uint64_t most_bytes, Decompress zfp = {});

  /// The next message; nothing if the stream ends between messages. Throws Error (input) if it ends within
  /// one, for unknown ids and for lengths beyond the limit: nothing after these can be read.
  std::optional<Message> next();
  /// Messages read so far.
  std::uint64_t count() const { return count_; }

 private:
  void take(std::span<std::byte> to);
  template <typename T>
  T take();
  template <typename T>
  void append(std::vector<T>& to, std::uint64_t count);
  std::string take_text(std::uint64_t bytes);
  void skip(std::uint64_t bytes);
  void skip(double bytes);
  void require_room(double bytes) const;
  Acquisition take_acquisition();
  void take_compressed(Acquisition& acquisition, std::uint64_t samples);
  void skip_image();
  void skip_waveform();
  void skip_array();

  ReadBytes read_;
  Decompress zfp_;
  std::uint64_t most_bytes_, count_ = 0;
};

}  // namespace mrd
}  // namespace larmor
