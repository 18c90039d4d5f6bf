#include <larmor/core/format_error.hpp>
#include <larmor/io/files/descriptor.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace LARMOR_API larmor {

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor open_to_read(const std::string& path) {
  // O_NONBLOCK: if the file was replaced by a pipe meanwhile, opening must not block.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw input_error("cannot read {}: {}", path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) throw input_error("cannot read {}: it is a directory", path);
  if (S_ISREG(status.st_mode)) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!file.valid()) throw input_error("cannot read {}: {}", path, std::strerror(errno));
    if (::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode)) return file;
  }
  throw input_error("cannot read {}: it is not a regular file", path);
}

std::ifstream stream_to_read(const std::string& path) {
  open_to_read(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw input_error("cannot read {}: {}", path, std::strerror(errno));
  return file;
}

std::string read_text(const std::string& path, std::uint64_t most_bytes) {
  std::ifstream file = stream_to_read(path);
  // Files without a size, as in /proc, could go on for ever.
  const std::uintmax_t size = std::filesystem::file_size(path);
  if (size > most_bytes) throw input_error("{} has {} bytes; expected at most {}", path, size, most_bytes);
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace larmor
