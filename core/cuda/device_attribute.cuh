#pragma once

#include <larmor/core/cuda/check.hpp>

#include <cuda_runtime.h>

#include <cstddef>

namespace larmor::cuda {

/// An attribute of the current device.
inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&value, attribute, device), "asking what the device has");
  return value;
}

/// Allows a kernel this much shared memory.
template <typename Kernel>
void allow_shared_bytes(Kernel* kernel, std::size_t bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "asking for shared memory");
}

}  // namespace larmor::cuda
