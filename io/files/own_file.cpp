#include <larmor/io/files/own_file.hpp>

#include <fmt/format.h>

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace larmor {

std::string read_whole(const std::string& path, std::size_t most_bytes) {
  std::error_code status;
  if (!std::filesystem::is_regular_file(path, status)) throw std::runtime_error("it is no regular file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::strerror(errno));
  std::string text(std::min<std::uintmax_t>(std::filesystem::file_size(path, status), most_bytes + 1), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most_bytes)
    throw std::runtime_error(fmt::format("it is larger than {} bytes", most_bytes));
  return text;
}

void require_levels(const std::string& json, int most_levels) {
  int level = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\')
      ++i;  // the text after this does not end a string
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++level > most_levels)
      throw std::runtime_error("it is nested too deeply");
    else if (!quoted && (c == ']' || c == '}'))
      --level;
  }
}

std::uint32_t checksum(std::uint32_t before, const void* bytes, std::size_t size) {
  return static_cast<std::uint32_t>(crc32_z(before, static_cast<const Bytef*>(bytes), size));
}

std::string checksum_text(std::uint32_t value) {
  return fmt::format("{:08x}", value);
}

}  // namespace larmor
