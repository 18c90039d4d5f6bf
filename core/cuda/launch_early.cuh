#pragma once

#include <larmor/core/cuda/device_attribute.cuh>

#include <cstdint>

// Kernels that the device brings up while the one before them on the stream still runs. Short kernels one
// after another otherwise wait a microsecond or more for each other.
namespace larmor::cuda {

/// Whether kernels are compiled for devices that can (compute capability 9.0 and later).
constexpr bool built_for_early_launches() {
  for (const int architecture : {__CUDA_ARCH_LIST__})
    if (architecture >= 900) return true;
  return false;
}

/// What a kernel of launch_early() calls first: it waits until what the kernels before it have written is
/// there.
__device__ inline void wait_for_earlier_kernels() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Launches a kernel that waits for earlier ones itself, early where that pays: of few blocks, and not into a
/// graph, which starts its kernels fast as it is. Returns cudaError_t.
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
