#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/core/device.hpp>
#include <larmor/core/export.hpp>

// Amid other users of CUDA in the process.

namespace larmor::cuda {

/// This thread's device, which kernels and new streams are for; −1 without a driver.
LARMOR_API int current_device();
LARMOR_API void make_current(int ordinal);

/// What `waiting` is given from now on begins when `waited` has done what it has been given, on the current
/// device.
LARMOR_API void wait_for(Stream waiting, Stream waited);

}  // namespace larmor::cuda

namespace larmor {

/// Puts back this thread's CUDA device when it ends: around work on a device amid other users of CUDA.
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
