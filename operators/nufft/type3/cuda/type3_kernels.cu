#include <larmor/core/vectors/cuda/for_each.cuh>
#include <larmor/operators/nufft/type3/cuda/type3_kernels.hpp>
#include <larmor/operators/nufft/type3/type3_kernels.hpp>

#include <cuda_runtime.h>

#include <algorithm>

namespace larmor::cuda {

template void for_each(const nufft::PlacePoint<float>&, std::int64_t, Stream);
template void for_each(const nufft::PlacePoint<double>&, std::int64_t, Stream);
template void for_each(const nufft::PlaceFrequencies<float, 1>&, std::int64_t, Stream);
template void for_each(const nufft::PlaceFrequencies<double, 1>&, std::int64_t, Stream);

}  // namespace larmor::cuda

namespace larmor::nufft::cuda {
namespace {

constexpr int threads = 256, warps = threads / 32;

__device__ void widen(CoordinateBox& box, const CoordinateBox& other) {
#pragma unroll
  for (int a = 0; a < 3; ++a) {
    box.low[a] = fmin(box.low[a], other.low[a]);
    box.high[a] = fmax(box.high[a], other.high[a]);
  }
  box.not_finite = min(box.not_finite, other.not_finite);
}

__device__ CoordinateBox empty_box() {
  const double infinity = __longlong_as_double(0x7ff0000000000000ll);
  return {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}, CoordinateBox::none};
}

__global__ void __launch_bounds__(threads)
    box_kernel(const double* __restrict__ coordinates, std::int64_t count, int dims, CoordinateBox* parts) {
  __shared__ CoordinateBox boxes[warps];
  CoordinateBox box = empty_box();
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
    widen(box, other);
  }
  if (threadIdx.x % 32 == 0) boxes[threadIdx.x / 32] = box;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < warps; ++w) widen(box, boxes[w]);
  parts[blockIdx.x] = box;
}

template <typename T>
struct alignas(2 * sizeof(T)) Value {
  T re, im;
};

// A thread moves the lanes of a cell, which lie side by side on the grid.
template <typename T, bool to_images>
__global__ void __launch_bounds__(threads)
    transpose(Value<T>* grid, Value<T>* images, std::int64_t cells, int lanes, std::int64_t coils) {
  const std::int64_t first = std::int64_t{blockIdx.y} * lanes;
  grid += first * cells;
  images += first * cells;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < cells;
       i += std::int64_t{gridDim.x} * threads)
    for (int lane = 0; lane < lanes; ++lane) {
      const bool coil = first + lane < coils;
      if constexpr (to_images) {
        if (coil) images[lane * cells + i] = grid[i * lanes + lane];
      } else {
        grid[i * lanes + lane] = coil ? images[lane * cells + i] : Value<T>{0, 0};
      }
    }
}

template <typename T, bool to_images>
void launch_transpose(const std::complex<T>* grid, const std::complex<T>* images, std::int64_t cells,
                      const Coils& coils, larmor::cuda::Stream stream) {
  const auto values = [](const std::complex<T>* pointer) {
    return reinterpret_cast<Value<T>*>(const_cast<std::complex<T>*>(pointer));
  };
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((cells + threads - 1) / threads, 1 << 16));
  transpose<T, to_images><<<dim3(blocks, static_cast<unsigned>(coils.blocks())), threads, 0, stream>>>(
      values(grid), values(images), cells, coils.lanes, coils.count);
  larmor::cuda::check_launch("transpose");
}

}  // namespace

void box_coordinates(const double* coordinates, std::int64_t count, int dims, CoordinateBox* parts,
                     larmor::cuda::Stream stream) {
  box_kernel<<<box_parts, threads, 0, stream>>>(coordinates, count, dims, parts);
  larmor::cuda::check_launch("box_coordinates");
}

template <typename T>
void grid_to_images(const std::complex<T>* grid, std::complex<T>* images, std::int64_t cells,
                    const Coils& coils, larmor::cuda::Stream stream) {
  launch_transpose<T, true>(grid, images, cells, coils, stream);
}

template <typename T>
void images_to_grid(const std::complex<T>* images, std::complex<T>* grid, std::int64_t cells,
                    const Coils& coils, larmor::cuda::Stream stream) {
  launch_transpose<T, false>(grid, images, cells, coils, stream);
}

#define LARMOR_INSTANTIATE(T)                                                                           \
  template void grid_to_images<T>(const std::complex<T>*, std::complex<T>*, std::int64_t, const Coils&, \
                                  larmor::cuda::Stream);                                                \
  template void images_to_grid<T>(const std::complex<T>*, std::complex<T>*, std::int64_t, const Coils&, \
                                  larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
