#pragma once

#include <larmor/core/math/cuda/small_dft.cuh>
#include <larmor/operators/sparse_fft/cuda/kernels.hpp>

#include <cuda_runtime.h>

// Shared by the kernels of sparse transforms.
namespace larmor::sparse_fft::cuda {
namespace {

using larmor::cuda::Complex;
using larmor::cuda::conjugate;
using larmor::cuda::dft;
using larmor::cuda::unrolled;
using larmor::cuda::unrolled_constants;

template <typename T>
__device__ __forceinline__ Complex<T> loaded(const Complex<T>* address) {
  if constexpr (sizeof(T) == 4) {
    const float2 value = __ldg(reinterpret_cast<const float2*>(address));
    return {value.x, value.y};
  } else {
    const double2 value = __ldg(reinterpret_cast<const double2*>(address));
    return {value.x, value.y};
  }
}

/// v[k] *= w^k, k = 1 … radix − 1; power(i) is w to the power of 2^i.
template <int radix, typename T, typename Power>
__device__ __forceinline__ void multiply_powers(Complex<T> (&v)[radix], const Power& power) {
  Complex<T> w[radix];
  unrolled_constants<radix - 1>([&](auto i) {
    constexpr int k = i + 1, log2 = k >= 16 ? 4 : k >= 8 ? 3 : k >= 4 ? 2 : k >= 2 ? 1 : 0;
    if constexpr (k == 1 << log2)
      w[k] = power(log2);
    else
      w[k] = w[1 << log2] * w[k - (1 << log2)];
    v[k] = v[k] * w[k];
  });
}

/// exp(−2πi centre r / R) for centre = first + block_rows / 2 − ½; period = 2R. The product of whole numbers
/// and its remainder are exact.
template <typename T>
__device__ __forceinline__ Complex<T> phase_of(double twice_centre, double r, double period,
                                               double inverse_period) {
  const double product = twice_centre * r;
  const double cycles = fma(-rint(product * inverse_period), period, product) * inverse_period;
  T s, c;
  if constexpr (sizeof(T) == 4)
    sincospif(static_cast<float>(-2 * cycles), &s, &c);
  else
    sincospi(-2 * cycles, &s, &c);
  return {c, s};
}

// One summary of all threads, always combined in the same order.
__device__ RowSummary reduced(RowSummary mine) {
  constexpr int most_warps = 32;
  __shared__ double energy[most_warps], peak[most_warps];
  __shared__ std::int64_t column[most_warps];
  const int warps = static_cast<int>(blockDim.x) / 32;
  for (int step = 16; step > 0; step /= 2) {
    RowSummary other;
    other.energy = __shfl_down_sync(~0u, mine.energy, step);
    other.peak = __shfl_down_sync(~0u, mine.peak, step);
    other.column = __shfl_down_sync(~0u, static_cast<long long>(mine.column), step);
    mine.take(other);
  }
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) {
    energy[warp] = mine.energy;
    peak[warp] = mine.peak;
    column[warp] = mine.column;
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < warps; ++w) mine.take(RowSummary{energy[w], peak[w], column[w]});
  return mine;
}

// Destination of the row of frequency u: F[u][v] to direct[v], and its conjugate to mirrored[−v] or, for v =
// 0, to mirrored_origin, if requested.
template <typename T, bool summarised>
struct RowTarget {
  Complex<T>*direct = nullptr, *mirrored = nullptr, *mirrored_origin = nullptr;
  int width, first_mirrored;  // smallest v > 0 that has an opposite one
  bool at_origin;

  __device__ RowTarget(const RowTask<T>& task, std::int64_t u) {
    const SpectrumRows<T>& where = task.where;
    const std::int64_t line = u - where.first;
    width = static_cast<int>(where.width);
    first_mirrored = static_cast<int>(where.columns - where.width) + 1;
    at_origin = u == 0;
    if (where.direct) direct = reinterpret_cast<Complex<T>*>(where.direct) + line * where.width;
    if (where.mirrored && u != 0 && 2 * u != where.rows) {
      mirrored_origin =
          reinterpret_cast<Complex<T>*>(where.mirrored) + (where.count - 1 - line) * where.width;
      mirrored = mirrored_origin + where.columns;
    }
  }
  __device__ __forceinline__ void take(int v, Complex<T> f, RowSummary& summary) const {
    if (direct && v < width) direct[v] = f;
    if (mirrored) {
      if (v >= first_mirrored && v > 0) mirrored[-v] = conjugate(f);
      if (v == 0) *mirrored_origin = conjugate(f);
    }
    if constexpr (summarised) {
      const auto re = static_cast<double>(f.re), im = static_cast<double>(f.im);
      summary.take(re * re + im * im, v, at_origin && v == 0);
    }
  }
};
template <typename T>
__device__ __forceinline__ void finish(const RowTask<T>& task, std::int64_t u, RowSummary summary) {
  summary = reduced(summary);
  if (threadIdx.x == 0) task.summaries[u - task.where.first] = summary;
}

}  // namespace
}  // namespace larmor::sparse_fft::cuda
