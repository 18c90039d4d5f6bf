#pragma once

#include <larmor/operators/nufft/grid/cuda/line_launch.cuh>

namespace larmor::nufft::cuda {
namespace {

using larmor::cuda::Complex;
using larmor::cuda::Inner;
using larmor::cuda::unrolled;

// Grid values bypass the L1 cache, which is left to the twiddles.
template <typename T>
__device__ __forceinline__ Complex<T> load_once(const Complex<T>* from) {
  if constexpr (sizeof(T) == 4) {
    const float2 value = __ldcg(reinterpret_cast<const float2*>(from));
    return {value.x, value.y};
  } else {
    const double2 value = __ldcg(reinterpret_cast<const double2*>(from));
    return {value.x, value.y};
  }
}

// One line of a tile; a thread works on one line only.
template <typename T>
struct LineColumn {
  // 64-bit divisions would cost as much as a stage, so tiles and lines are counted in 32 bits.
  __device__ LineColumn(const LinePass<T>& pass, int columns_log2) {
    const unsigned columns = 1u << columns_log2, inner = static_cast<unsigned>(pass.inner),
                   chunks = (inner + columns - 1) >> columns_log2, outer = blockIdx.x / chunks;
    index = (blockIdx.x - outer * chunks) * columns + (threadIdx.x & (columns - 1));
    on = index < inner;
    values = reinterpret_cast<Complex<T>*>(pass.grid) + blockIdx.y * pass.block +
             pass.outer_window.cell(static_cast<int>(outer)) * pass.outer_stride + index;
  }
  unsigned index;
  bool on;
  Complex<T>* values;

  template <int n>
  __device__ __forceinline__ void load(const LinePass<T>& pass, int first, int step, bool windowed,
                                       Complex<T> (&v)[n]) const {
    const Complex<T>* from = values + first * pass.stride;
    const std::int64_t jump = step * pass.stride;
    unrolled<n>([&](auto r) {
      const bool wanted = on && (!windowed || pass.window.holds(first + r * step));
      v[r] = wanted ? load_once(from + r * jump) : Complex<T>{0, 0};
    });
  }
  template <int n>
  __device__ __forceinline__ void store(const LinePass<T>& pass, int first, int step, bool windowed,
                                        const Complex<T> (&v)[n]) const {
    Complex<T>* to = values + first * pass.stride;
    const std::int64_t jump = step * pass.stride;
    unrolled<n>([&](auto r) {
      if (on && (!windowed || pass.window.holds(first + r * step))) to[r * jump] = v[r];
    });
  }
};

template <typename T, typename Line>
std::int64_t line_tiles(const LinePass<T>& pass, int columns_log2) {
  return ((pass.inner + (1 << columns_log2) - 1) >> columns_log2) * pass.outer;
}

}  // namespace
}  // namespace larmor::nufft::cuda
