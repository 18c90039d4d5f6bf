#include <larmor/core/format_error.hpp>
#include <larmor/io/isolated/segment.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace larmor::isolated {
namespace {

// Sealed against shrinking, growing, writing (also through earlier mappings), and further changes of the
// seals.
constexpr int all_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;

Error no_memory(std::size_t bytes) {
  return resource_error("no shared memory of {} bytes: {}", bytes, std::strerror(errno));
}

}  // namespace

Segment::Segment(std::size_t bytes)
    : memory_(::memfd_create("larmor", MFD_CLOEXEC | MFD_ALLOW_SEALING)), size_(bytes) {
  if (!memory_.valid()) throw no_memory(bytes);
  if (::ftruncate(memory_.number(), static_cast<off_t>(bytes)) != 0) {
    if (errno != EFBIG) throw no_memory(bytes);
    memory_.close();
    own_.resize((bytes + sizeof own_[0] - 1) / sizeof own_[0]);
    address_ = reinterpret_cast<std::byte*>(own_.data());
    return;
  }
  void* address =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory_.number(), 0);
  if (address == MAP_FAILED) throw no_memory(bytes);
  address_ = static_cast<std::byte*>(address);
}

Segment::~Segment() {
  unmap();
}

void Segment::unmap() {
  if (address_ != nullptr && own_.empty()) ::munmap(address_, size_);
  address_ = nullptr;
}

Descriptor Segment::seal() {
  unmap();
  if (::fcntl(memory_.number(), F_ADD_SEALS, all_seals) != 0) throw no_memory(size_);
  return std::move(memory_);
}

SealedSegment::SealedSegment(Descriptor memory, std::size_t most_bytes) {
  struct stat status {};
  const int seals = ::fcntl(memory.number(), F_GET_SEALS);
  if (seals < 0 || (seals & all_seals) != all_seals || ::fstat(memory.number(), &status) != 0 ||
      status.st_size <= 0 || static_cast<std::size_t>(status.st_size) > most_bytes)
    return;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, memory.number(), 0);
  if (address == MAP_FAILED) throw no_memory(size);
  bytes_ = {static_cast<const std::byte*>(address), size};
}

SealedSegment::~SealedSegment() {
  if (valid()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace larmor::isolated
