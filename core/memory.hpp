#pragma once

#include <larmor/core/device.hpp>
#include <larmor/core/export.hpp>

#include <cstddef>

namespace LARMOR_API larmor {

/// What array allocations have used so far, over all threads and devices of one kind.
struct MemoryUse {
  std::size_t current_bytes = 0;
  std::size_t peak_bytes = 0;
  std::size_t allocations = 0;
};

/// Where the memory of a CUDA device's array lies; on the CPU both are the same.
enum class Placement {
  device,  ///< on the device
  host     ///< page-locked host memory, which the device reaches over its bus: for what it has no room for
};

/// Every array and arena gets its memory here: aligned to at least 64 bytes, uninitialised.
/// Throws Error (resource) with the number of bytes when the memory is not there. Of large arrays on the CPU
/// the process keeps up to 1 GiB after they are freed, for the next ones.
void* allocate_bytes(std::size_t bytes, const Device& device, Placement placement = Placement::device);
void free_bytes(void* pointer, std::size_t bytes, const Device& device,
                Placement placement = Placement::device) noexcept;
/// Memory of one kind of device; page-locked host memory is the CPU's.
MemoryUse memory_use(Device::Kind kind = Device::Kind::cpu);
/// Copies between any two places, in the order of the devices' work; host memory may be used again on return.
void copy_bytes(void* to, const Device& to_device, const void* from, const Device& from_device,
                std::size_t bytes);
/// Of this thread: copies between host and device and waits for a device set it. What they are a part of
/// cannot be recorded (core/vectors/replay.hpp).
bool& waited_for_device();

}  // namespace larmor
