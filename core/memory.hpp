#pragma once

#include <larmor/core/device.hpp>
#include <larmor/core/export.hpp>

#include <cstddef>

namespace LARMOR_API larmor {

/// Memory used by array allocations so far, over all threads and devices of one kind.
struct MemoryUse {
  std::size_t current_bytes = 0;
  std::size_t peak_bytes = 0;
  std::size_t allocations = 0;
};

/// Kind of memory of a CUDA device's array; on the CPU both are the same.
enum class Placement {
  device,  ///< on the device
  host  ///< page-locked host memory, which the device accesses over its bus: for data that do not fit on the
        ///< device
};

/// Allocates the memory of every array and arena: aligned to at least 64 bytes, uninitialised. Throws Error
/// (resource) with the number of bytes if there is not enough memory. On the CPU the process keeps up to 1
/// GiB of freed large arrays for later ones.
void* allocate_bytes(std::size_t bytes, const Device& device, Placement placement = Placement::device);
void free_bytes(void* pointer, std::size_t bytes, const Device& device,
                Placement placement = Placement::device) noexcept;
/// Memory of one kind of device; page-locked host memory counts as the CPU's.
MemoryUse memory_use(Device::Kind kind = Device::Kind::cpu);
/// Copies between any two places, in the order of the devices' work; host memory can be reused on return.
void copy_bytes(void* to, const Device& to_device, const void* from, const Device& from_device,
                std::size_t bytes);
/// Flag of this thread: set by copies between host and device and by waiting for a device. Work that contains
/// these cannot be recorded (core/vectors/replay.hpp).
bool& waited_for_device();

}  // namespace larmor
