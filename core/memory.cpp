#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/large_blocks.hpp>
#include <larmor/core/memory.hpp>
#include <larmor/core/memory_limits.hpp>

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace larmor {
namespace {

struct Counters {
  std::atomic<std::size_t> current{0}, peak{0}, allocations{0};
};
Counters counters[2];  // CPU, CUDA

Counters& counters_of(Device::Kind kind, Placement placement = Placement::device) {
  return counters[kind == Device::Kind::cuda && placement == Placement::device ? 1 : 0];
}

constexpr std::size_t alignment = 64;
constexpr std::size_t huge_page = LargeBlocks::page;

// Large arrays use huge pages: grids are accessed along all axes, and small pages miss the TLB.
bool is_large(std::size_t bytes) {
  return bytes >= 4 * huge_page;
}

std::size_t rounded(std::size_t bytes) {
  const std::size_t unit = is_large(bytes) ? huge_page : alignment;
  return (bytes + unit - 1) / unit * unit;
}

// Never destroyed, because arrays may live until the process ends.
LargeBlocks& large_blocks() {
#if defined(__SANITIZE_ADDRESS__)
  constexpr std::size_t most = 0;  // otherwise the use of freed memory would not be detected
#else
  constexpr std::size_t most = std::size_t{1} << 30;
#endif
  static LargeBlocks& instance = *new LargeBlocks(most);
  return instance;
}

// The C library keeps freed memory for later.
void return_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// The part of an array that does not come from released ones.
std::size_t new_pages(std::size_t bytes) {
  return bytes - (is_large(bytes) ? std::min(bytes, large_blocks().held()) : 0);
}

// The limit holds for arrays and for the whole process, whose other memory may exceed a plan by a twentieth
// and 8 MB.
void require_within_limit(std::size_t bytes) {
  const std::size_t limit = host_array_limit(), arrays = counters_of(Device::Kind::cpu).current;
  if (limit == 0) return;
  const auto refuse_above = [&](std::size_t most, std::size_t used, std::size_t more) {
    if (more > most - std::min(most, used))
      throw resource_error("not enough memory: {} more needed, {} in use, {} allowed", format_bytes(bytes),
                           format_bytes(used), format_bytes(limit));
  };
  refuse_above(limit, arrays, bytes);
  constexpr std::size_t worth_asking = std::size_t{1} << 20, of_the_process = std::size_t{8} << 20;
  if (bytes < worth_asking || resident_bytes() + new_pages(bytes) <= limit) return;
  large_blocks().release();
  return_freed_memory();
  refuse_above(limit / 20 * 21 + of_the_process, resident_bytes(), bytes);
}

// Memory that is not available is refused before it is touched: otherwise the system would end this process,
// or another one.
void require_available(std::size_t bytes) {
  constexpr std::size_t worth_asking = std::size_t{64} << 20;
  if (bytes < worth_asking) return;
  if (const std::size_t available = available_memory_bytes(); bytes > available)
    throw resource_error("not enough memory: {} more needed, {} available", format_bytes(bytes),
                         format_bytes(available));
}

void* allocate_host(std::size_t bytes) {
  require_within_limit(bytes);
  require_available(new_pages(bytes));
  void* const pointer = allocate_pages(bytes);
  if (pointer == nullptr) throw resource_error("could not allocate {} bytes of memory", bytes);
  return pointer;
}

void* allocate_device(std::size_t bytes, const Device& device, Placement placement) {
  if constexpr (cuda::built) {
    if (placement == Placement::host) {
      void* locked = cuda::allocate_on_host(bytes, device.ordinal);
      if (locked == nullptr) throw resource_error("could not allocate {} bytes of page-locked memory", bytes);
      return locked;
    }
    void* pointer = cuda::allocate(bytes, device.ordinal);
    if (pointer == nullptr)
      throw resource_error("could not allocate {} bytes on {}, where {} are free", bytes, device.to_string(),
                           format_bytes(cuda::free_bytes(device.ordinal)));
    return pointer;
  }
  return nullptr;
}

}  // namespace

void* allocate_pages(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  if (size < bytes) return nullptr;
  return is_large(bytes) ? large_blocks().take(size) : std::aligned_alloc(alignment, size);
}

void free_pages(void* pointer, std::size_t bytes) noexcept {
  is_large(bytes) ? large_blocks().give_back(pointer) : std::free(pointer);
}

void* allocate_bytes(std::size_t bytes, const Device& device, Placement placement) {
  if (bytes == 0) return nullptr;
  if (device.on_gpu()) require_available(device);
  void* pointer = device.on_gpu() ? allocate_device(bytes, device, placement) : allocate_host(bytes);
  Counters& use = counters_of(device.kind, placement);
  const std::size_t now = use.current += bytes;
  std::size_t peak = use.peak;
  while (now > peak && !use.peak.compare_exchange_weak(peak, now)) {
  }
  ++use.allocations;
  return pointer;
}

void free_bytes(void* pointer, std::size_t bytes, const Device& device, Placement placement) noexcept {
  if (pointer == nullptr) return;
  if (!device.on_gpu()) free_pages(pointer, bytes);
  if constexpr (cuda::built)
    if (device.on_gpu())
      placement == Placement::host ? cuda::release_on_host(pointer, device.ordinal)
                                   : cuda::release(pointer, device.ordinal);
  counters_of(device.kind, placement).current -= bytes;
}

bool& waited_for_device() {
  thread_local bool waited = false;
  return waited;
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
      throw internal_error("copy from {} to {}: copy to the host first", from_device.to_string(),
                           to_device.to_string());
    const Direction direction = !to_device.on_gpu()    ? Direction::to_host
                                : from_device.on_gpu() ? Direction::within
                                                       : Direction::to_device;
    if (direction != Direction::within) waited_for_device() = true;
    cuda::copy_bytes(to, from, bytes, direction,
                     to_device.on_gpu() ? to_device.ordinal : from_device.ordinal);
  }
}

}  // namespace larmor
