#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/core/device.hpp>
#include <larmor/core/export.hpp>

// Coexistence with other users of CUDA in the process.

namespace larmor::cuda {

/// This thread's current device, which is used for kernels and new streams; −1 without a driver.
LARMOR_API int current_device();
LARMOR_API void make_current(int ordinal);

/// Makes `waiting` wait for all work already queued on `waited`, on the current device.
LARMOR_API void wait_for(Stream waiting, Stream waited);

}  // namespace larmor::cuda

namespace larmor {

/// Restores this thread's CUDA device at its end: for work on a device beside other users of CUDA.
class LARMOR_API KeptDevice {
 public:
  /// Does nothing for the CPU.
  explicit KeptDevice(const Device& device);
  KeptDevice(const KeptDevice&) = delete;
  KeptDevice& operator=(const KeptDevice&) = delete;
  ~KeptDevice();

 private:
  int before_ = -1;
};

}  // namespace larmor
