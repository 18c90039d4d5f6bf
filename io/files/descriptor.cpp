#include <larmor/core/format_error.hpp>
#include <larmor/io/files/descriptor.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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
  const Descriptor file = open_to_read(path);
  // The reported size is only a hint: files of /proc report 0, and some of them are endless.
  std::string text;
  std::size_t got = 0;
  for (;;) {
    if (got == text.size())
      text.resize(got + (got == 0 ? std::min<std::uint64_t>(std::filesystem::file_size(path), most_bytes) + 1
                                  : std::size_t{1} << 16));
    const ssize_t now = ::read(file.number(), text.data() + got, text.size() - got);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) throw input_error("cannot read {}: {}", path, std::strerror(errno));
    if (now == 0) break;
    got += static_cast<std::size_t>(now);
    if (got > most_bytes) throw input_error("{} has more than {} bytes", path, most_bytes);
  }
  text.resize(got);
  return text;
}

}  // namespace larmor
