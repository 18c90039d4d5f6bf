#include <larmor/operators/nufft/type3/cuda/type3_kernels.hpp>

#include <cuda_runtime.h>

namespace larmor::nufft::cuda {
namespace {

constexpr int threads = 256, warps = threads / 32;

__global__ void __launch_bounds__(threads)
    box_kernel(const double* __restrict__ coordinates, std::int64_t count, int dims, CoordinateBox* parts) {
  __shared__ CoordinateBox boxes[warps];
  CoordinateBox box = CoordinateBox::empty();
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * threads)
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      if (a >= dims) break;
      const double value = coordinates[i * dims + a];
      if (isfinite(value)) {
        box.low[a] = fmin(box.low[a], value);
        box.high[a] = fmax(box.high[a], value);
      } else {
        box.not_finite = min(box.not_finite, i);
      }
    }
  for (int step = 16; step > 0; step /= 2) {
    CoordinateBox other;
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      other.low[a] = __shfl_xor_sync(~0u, box.low[a], step);
      other.high[a] = __shfl_xor_sync(~0u, box.high[a], step);
    }
    other.not_finite = __shfl_xor_sync(~0u, box.not_finite, step);
    box.widen(other);
  }
  if (threadIdx.x % 32 == 0) boxes[threadIdx.x / 32] = box;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < warps; ++w) box.widen(boxes[w]);
  parts[blockIdx.x] = box;
}

}  // namespace

void box_coordinates(const double* coordinates, std::int64_t count, int dims, CoordinateBox* parts,
                     larmor::cuda::Stream stream) {
  box_kernel<<<box_parts, threads, 0, stream>>>(coordinates, count, dims, parts);
  larmor::cuda::check_launch("box_coordinates");
}

}  // namespace larmor::nufft::cuda
