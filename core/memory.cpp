#include <larmor/core/error.hpp>
#include <larmor/core/memory.hpp>

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>

namespace larmor {
namespace {

std::atomic<std::size_t> current_bytes{0}, peak_bytes{0}, allocations{0};
constexpr std::size_t alignment = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

void* allocate_bytes(std::size_t bytes, const Device& device) {
  if (bytes == 0) return nullptr;
  require_available(device);
  // Large arrays ask for huge pages: grids are walked along all axes, and small pages miss the TLB.
  const std::size_t align = bytes >= 4 * huge_page ? huge_page : alignment;
  const std::size_t rounded = (bytes + align - 1) / align * align;
  void* pointer = rounded < bytes ? nullptr : std::aligned_alloc(align, rounded);
  if (pointer == nullptr) throw resource_error("could not allocate {} bytes of memory", bytes);
  if (align == huge_page) madvise(pointer, rounded, MADV_HUGEPAGE);
  const std::size_t now = current_bytes += bytes;
  std::size_t peak = peak_bytes;
  while (now > peak && !peak_bytes.compare_exchange_weak(peak, now)) {
  }
  ++allocations;
  return pointer;
}

void free_bytes(void* pointer, std::size_t bytes, const Device&) noexcept {
  if (pointer == nullptr) return;
  std::free(pointer);
  current_bytes -= bytes;
}

MemoryUse memory_use() {
  return {current_bytes, peak_bytes, allocations};
}

}  // namespace larmor
