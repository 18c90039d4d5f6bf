#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/memory.hpp>

namespace larmor::test {

/// The peak memory of a device since construction, beyond the memory in use then. Holds the memory that
/// earlier cases freed, so that every additional byte raises the peak.
class PeakMemory {
 public:
  explicit PeakMemory(const Device& device = {})
      : kind_(device.kind), held_({missing(device.kind)}, device), begin_(memory_use(kind_).current_bytes) {}
  std::size_t bytes() const { return memory_use(kind_).peak_bytes - begin_; }

 private:
  static Index missing(Device::Kind kind) {
    const MemoryUse use = memory_use(kind);
    return static_cast<Index>((use.peak_bytes - use.current_bytes + sizeof(float) - 1) / sizeof(float));
  }
  Device::Kind kind_;
  Array<float> held_;
  std::size_t begin_;
};

}  // namespace larmor::test
