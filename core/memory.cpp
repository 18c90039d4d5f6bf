#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory.hpp>
#include <larmor/core/memory_limits.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

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
constexpr std::size_t huge_page = std::size_t{2} << 20;

// Large arrays ask for huge pages: grids are walked along all axes, and small pages miss the TLB.
bool is_large(std::size_t bytes) {
  return bytes >= 4 * huge_page;
}

std::size_t rounded(std::size_t bytes) {
  const std::size_t unit = is_large(bytes) ? huge_page : alignment;
  return (bytes + unit - 1) / unit * unit;
}

// The last large arrays that were freed, for the next ones of the same size: the system clears every page
// that it gives out, which takes as long as filling it. A request that none of them fits returns them all, so
// that they never add to what large arrays need together.
class Spares {
 public:
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    for (Block& block : blocks_)
      if (block.bytes == bytes) {
        held_ -= bytes;
        block.bytes = 0;
        return block.pointer;
      }
    for (Block& block : blocks_)
      if (block.bytes > 0) std::free(block.pointer);
    blocks_ = {};
    held_ = 0;
    return nullptr;
  }
  /// False when there is no room for it.
  bool keep(void* pointer, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (held_ + bytes > most) return false;
    for (Block& block : blocks_)
      if (block.bytes == 0) {
        block = {pointer, bytes};
        held_ += bytes;
        return true;
      }
    return false;
  }

 private:
#if defined(__SANITIZE_ADDRESS__)
  static constexpr std::size_t most = 0;  // or the use of freed memory would not be seen
#else
  static constexpr std::size_t most = std::size_t{64} << 20;
#endif
  struct Block {
    void* pointer = nullptr;
    std::size_t bytes = 0;
  };
  std::mutex mutex_;
  std::array<Block, 4> blocks_;
  std::size_t held_ = 0;
};

// Never destroyed: arrays may live until the process ends.
Spares& spares() {
  static Spares& instance = *new Spares;
  return instance;
}

// Memory that is not there is refused before it is touched: the system would end the process, or a neighbour.
void require_host_memory(std::size_t bytes) {
  const std::size_t limit = host_array_limit(), used = counters_of(Device::Kind::cpu).current;
  if (limit > 0 && bytes > limit - std::min(limit, used))
    throw resource_error("not enough memory: {} more needed, {} in use, {} allowed", format_bytes(bytes),
                         format_bytes(used), format_bytes(limit));
  constexpr std::size_t worth_asking = std::size_t{64} << 20;
  if (bytes < worth_asking) return;
  if (const std::size_t available = available_memory_bytes(); bytes > available)
    throw resource_error("not enough memory: {} more needed, {} available", format_bytes(bytes),
                         format_bytes(available));
}

void* allocate_host(std::size_t bytes) {
  require_host_memory(bytes);
  const std::size_t size = rounded(bytes);
  void* pointer = nullptr;
  if (is_large(bytes)) pointer = spares().take(size);
  if (pointer != nullptr) return pointer;
  if (size >= bytes) pointer = std::aligned_alloc(is_large(bytes) ? huge_page : alignment, size);
  if (pointer == nullptr) throw resource_error("could not allocate {} bytes of memory", bytes);
  if (is_large(bytes)) madvise(pointer, size, MADV_HUGEPAGE);
  return pointer;
}

void free_host(void* pointer, std::size_t bytes) {
  if (!is_large(bytes) || !spares().keep(pointer, rounded(bytes))) std::free(pointer);
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
  if (!device.on_gpu()) free_host(pointer, bytes);
  if constexpr (cuda::built)
    if (device.on_gpu())
      placement == Placement::host ? cuda::release_on_host(pointer, device.ordinal)
                                   : cuda::release(pointer, device.ordinal);
  counters_of(device.kind, placement).current -= bytes;
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
