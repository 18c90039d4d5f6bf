#include <larmor/core/format_error.hpp>
#include <larmor/io/ismrmrd/received.hpp>

namespace larmor::ismrmrd {

std::uint64_t receive_scan(const NextMessage& next, const ReadAt& read_at, const std::string& name,
                           ScanBuilder& builder) {
  std::uint64_t lacking = 0;
  for (;;) {
    const isolated::Message message = next();
    if (const auto* table = std::get_if<isolated::Table>(&message)) {
      lacking = table->lacking;
      builder.begin(std::string(table->xml), table->rows);
    } else if (const auto* headers = std::get_if<isolated::Headers>(&message)) {
      builder.headers(headers->first, headers->records);
    } else if (const auto* values = std::get_if<isolated::Values>(&message)) {
      builder.values(values->first, values->lengths, values->numbers);
    } else if (const auto* places = std::get_if<isolated::Places>(&message)) {
      builder.fetch(places->first, places->rows, read_at);
    } else if (const auto* piece = std::get_if<isolated::WaveformPiece>(&message)) {
      builder.waveform(piece->head, piece->values);
    } else if (std::holds_alternative<isolated::Finished>(message)) {
      return lacking;
    } else {
      throw input_error("cannot read {}: it sent images instead of acquisitions", name);
    }
  }
}

void receive_images(const NextMessage& next, const std::string& name, ImageBuilder& builder) {
  for (;;) {
    const isolated::Message message = next();
    if (const auto* table = std::get_if<isolated::Table>(&message))
      builder.header(std::string(table->xml));
    else if (const auto* images = std::get_if<isolated::Images>(&message))
      builder.begin(images->extents, images->complex);
    else if (const auto* pixels = std::get_if<isolated::Pixels>(&message))
      builder.pixels(pixels->numbers);
    else if (std::holds_alternative<isolated::Finished>(message))
      return;
    else
      throw input_error("cannot read {}: it sent acquisitions instead of images", name);
  }
}

}  // namespace larmor::ismrmrd
