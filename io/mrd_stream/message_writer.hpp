#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>
#include <larmor/io/mrd_stream/message_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace LARMOR_API larmor {
namespace mrd {

/// Sends all bytes, or throws Error.
using WriteBytes = std::function<void(std::span<const std::byte>)>;

/// Type of the pixels sent. int16: magnitude, scaled to 12 bits.
enum class PixelType { float32, int16 };

/// Fields of an image message in addition to those of Image.
struct ImagePlace {
  std::uint16_t series = 1, index = 1;  ///< image_series_index and image_index, from 1
  ImageKind kind = ImageKind::magnitude;
  PixelType pixels = PixelType::float32;  ///< of magnitude images
  double scale = 1;                       ///< factor of the magnitude before rounding, if pixels are integers
  std::string scan_header{};              ///< ISMRMRD header, for the attributes
  /// A readout of the image, for identifiers, time stamps and the position of the table; null: none.
  const Acquisition* readout = nullptr;
};

/// The largest 12-bit value, which viewers of scanners expect.
inline constexpr double largest_int16_pixel = 4095;

/// Writes messages, each immediately.
class MessageWriter {
 public:
  explicit MessageWriter(WriteBytes write) : write_(std::move(write)) {}

  /// Throws Error (usage) for names of more than 1023 characters.
  void config_file(const std::string& name);
  void config_text(const std::string& text) { text_message(MessageId::config_text, text); }
  void header(const std::string& xml) { text_message(MessageId::header, xml); }
  void text(const std::string& text) { text_message(MessageId::text, text); }
  /// Prefixes of texts that Siemens scanners show in colours.
  void error(const std::string& message) { text("ERR " + message); }
  void warning(const std::string& message) { text("WRN " + message); }
  void acquisition(const Acquisition& acquisition);
  /// Pixels [(coil,) z, y, x]; throws Error (usage) for extents beyond 65535.
  void image(const Image& image, const ImagePlace& place);
  void response(std::uint64_t correlation, const std::string& text);
  void close();

 private:
  void text_message(MessageId id, const std::string& text);

  WriteBytes write_;
};

/// A readout as a message: trajectory [samples][dimensions], data [channels][samples].
Acquisition make_acquisition(const Scan& scan, const Readout& readout);

}  // namespace mrd
}  // namespace larmor
