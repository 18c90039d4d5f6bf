#pragma once

#include <larmor/core/cuda/device_attribute.cuh>

#include <cstdint>

// Kernels that the device launches while the kernel before them on the stream still runs. Without this,
// consecutive short kernels wait a microsecond or more for each other.
namespace larmor::cuda {

/// True if kernels are compiled for devices that support this (compute capability 9.0 and later).
constexpr bool built_for_early_launches() {
  for (const int architecture : {__CUDA_ARCH_LIST__})
    if (architecture >= 900) return true;
  return false;
}

/// A kernel of launch_early() calls this first: it waits until the results of the kernels before it are
/// visible.
__device__ inline void wait_for_earlier_kernels() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Launches a kernel that waits for earlier ones itself; launches it early if that saves time: for few
/// blocks, and not in a graph, whose kernels start fast anyway. Returns cudaError_t.
template <typename... Parameters, typename... Arguments>
int launch_early(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t bytes, Stream stream,
                 const Arguments&... arguments) {
  constexpr std::int64_t few = 4096;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  config.attrs = &early;
  if (built_for_early_launches() && std::int64_t{grid.x} * grid.y * grid.z <= few &&
      device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream, &status), "asking whether a graph is being recorded");
    config.numAttrs = status == cudaStreamCaptureStatusNone ? 1 : 0;
  }
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace larmor::cuda
