#include <larmor/core/format_error.hpp>
#include <larmor/io/files/descriptor.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace larmor {

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor open_to_read(const std::string& path) {
  // O_NONBLOCK: what became a pipe between the two calls must not make us wait.
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

}  // namespace larmor
