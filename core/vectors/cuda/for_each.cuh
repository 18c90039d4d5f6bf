#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/vectors/cuda/for_each.hpp>

#include <cuda_runtime.h>

namespace LARMOR_API larmor {
namespace cuda {

namespace detail {

constexpr int for_each_threads = 128;

inline unsigned for_each_blocks(std::int64_t n) {
  const std::int64_t blocks = (n + for_each_threads - 1) / for_each_threads;
  return static_cast<unsigned>(blocks < 1 << 20 ? blocks : 1 << 20);
}

template <typename Body>
__global__ void __launch_bounds__(for_each_threads)
    for_each_kernel(const __grid_constant__ Body body, std::int64_t n) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * for_each_threads + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * for_each_threads)
    body(i);
}

template <typename Body>
__global__ void __launch_bounds__(for_each_threads)
    for_each_in_rows_kernel(const __grid_constant__ Body body, std::int64_t rows, std::int64_t width) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * for_each_threads + threadIdx.x; i < rows * width;
       i += std::int64_t{gridDim.x} * for_each_threads) {
    const std::int64_t row = i / width;
    body.line(row)(i - row * width);
  }
}

}  // namespace detail

template <typename Body>
void for_each(const Body& body, std::int64_t n, Stream stream) {
  if (n == 0) return;
  detail::for_each_kernel<<<detail::for_each_blocks(n), detail::for_each_threads, 0, stream>>>(body, n);
  check_launch(Body::name, cudaGetLastError());
}

template <typename Body>
void for_each_in_rows(const Body& body, std::int64_t rows, std::int64_t width, Stream stream) {
  if (rows * width == 0) return;
  detail::
      for_each_in_rows_kernel<<<detail::for_each_blocks(rows * width), detail::for_each_threads, 0, stream>>>(
          body, rows, width);
  check_launch(Body::name, cudaGetLastError());
}

}  // namespace cuda
}  // namespace larmor
