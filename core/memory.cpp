#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/error.hpp>
#include <larmor/core/memory.hpp>
#include <larmor/core/planner.hpp>

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace larmor {
namespace {

struct Counters {
  std::atomic<std::size_t> current{0}, peak{0}, allocations{0};
};
Counters counters[2];  // CPU, CUDA

Counters& counters_of(Device::Kind kind) {
  return counters[kind == Device::Kind::cuda ? 1 : 0];
}

constexpr std::size_t alignment = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;

void* allocate_host(std::size_t bytes) {
  // Large arrays ask for huge pages: grids are walked along all axes, and small pages miss the TLB.
  const std::size_t align = bytes >= 4 * huge_page ? huge_page : alignment;
  const std::size_t rounded = (bytes + align - 1) / align * align;
  void* pointer = rounded < bytes ? nullptr : std::aligned_alloc(align, rounded);
  if (pointer == nullptr) throw resource_error("could not allocate {} bytes of memory", bytes);
  if (align == huge_page) madvise(pointer, rounded, MADV_HUGEPAGE);
  return pointer;
}

void* allocate_device(std::size_t bytes, const Device& device) {
  if constexpr (cuda::built) {
    void* pointer = cuda::allocate(bytes, device.ordinal);
    if (pointer == nullptr)
      throw resource_error("could not allocate {} bytes on {}, where {} are free", bytes, device.to_string(),
                           format_bytes(cuda::free_bytes(device.ordinal)));
    return pointer;
  }
  return nullptr;
}

}  // namespace

void* allocate_bytes(std::size_t bytes, const Device& device) {
  if (bytes == 0) return nullptr;
  if (device.on_gpu()) require_available(device);
  void* pointer = device.on_gpu() ? allocate_device(bytes, device) : allocate_host(bytes);
  Counters& use = counters_of(device.kind);
  const std::size_t now = use.current += bytes;
  std::size_t peak = use.peak;
  while (now > peak && !use.peak.compare_exchange_weak(peak, now)) {
  }
  ++use.allocations;
  return pointer;
}

void free_bytes(void* pointer, std::size_t bytes, const Device& device) noexcept {
  if (pointer == nullptr) return;
  if (!device.on_gpu()) std::free(pointer);
  if constexpr (cuda::built)
    if (device.on_gpu()) cuda::release(pointer, device.ordinal);
  counters_of(device.kind).current -= bytes;
}

MemoryUse memory_use(Device::Kind kind) {
  const Counters& use = counters_of(kind);
  return {use.current, use.peak, use.allocations};
}

void copy_bytes(void* to, const Device& to_device, const void* from, const Device& from_device,
                std::size_t bytes) {
  if (bytes == 0) return;
  if (!to_device.on_gpu() && !from_device.on_gpu()) {
    std::memcpy(to, from, bytes);
    return;
  }
  if constexpr (cuda::built) {
    using cuda::Direction;
    if (to_device.on_gpu() && from_device.on_gpu() && !(to_device == from_device))
      throw internal_error("copy from {} to {}: pass through the host", from_device.to_string(),
                           to_device.to_string());
    const Direction direction = !to_device.on_gpu()    ? Direction::to_host
                                : from_device.on_gpu() ? Direction::within
                                                       : Direction::to_device;
    cuda::copy_bytes(to, from, bytes, direction,
                     to_device.on_gpu() ? to_device.ordinal : from_device.ordinal);
  }
}

}  // namespace larmor
