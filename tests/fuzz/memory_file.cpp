#include "fuzz/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace larmor::test::fuzz {

Descriptor memory_file(Bytes bytes) {
  static const int memory = ::memfd_create("fuzz", MFD_CLOEXEC);
  Descriptor copy(::fcntl(memory, F_DUPFD_CLOEXEC, 0));
  if (!copy.valid() || ::ftruncate(memory, static_cast<off_t>(bytes.size())) != 0 ||
      ::lseek(memory, 0, SEEK_SET) != 0 ||
      ::pwrite(memory, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    std::abort();
  return copy;
}

}  // namespace larmor::test::fuzz
