#pragma once

#include <larmor/core/device.hpp>

#include <cstddef>

namespace larmor {

/// What array allocations have used so far, over all threads and devices of one kind.
struct MemoryUse {
  std::size_t current_bytes = 0;
  std::size_t peak_bytes = 0;
  std::size_t allocations = 0;
};

/// Every array and arena gets its memory here: 64-byte aligned, uninitialised.
/// Throws Error (resource) with the number of bytes when the memory is not there.
void* allocate_bytes(std::size_t bytes, const Device& device);
void free_bytes(void* pointer, std::size_t bytes, const Device& device) noexcept;
MemoryUse memory_use();

}  // namespace larmor
