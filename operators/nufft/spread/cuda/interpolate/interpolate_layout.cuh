#pragma once

#include <larmor/operators/nufft/kernel/cuda/points.hpp>

#include <cuda_runtime.h>

namespace larmor::nufft::cuda {

constexpr int warp_size = 32;
constexpr unsigned whole_warp = 0xffffffffu;

/// Division of points among the threads of a warp: T reals, D axes, W cells per axis, L lanes.
template <typename T, int D, int W, int L, bool tiled>
struct Layout {
  static constexpr int chunk_reals = 2 * L * sizeof(T) < 16 ? 2 * L : 16 / static_cast<int>(sizeof(T));
  static constexpr int chunks = 2 * L / chunk_reals;  // per cell
  static constexpr int chunk_bytes = chunk_reals * static_cast<int>(sizeof(T));
  static constexpr int line = 128 / chunk_bytes;  // chunks read per clock
  static constexpr int per_line = line / chunks;  // cells read per clock
  static constexpr int rows = D == 3 ? W * W : D == 2 ? W : 1;
  static constexpr int most_rows = D == 1 ? 1 : D == 2 && W <= 4 ? 4 : D == 2 ? 8 : 16;
  static constexpr int splits = tiled || D == 1 || per_line < 2 ? 1 : 2;
  static constexpr int row_threads = per_line / splits < most_rows ? per_line / splits : most_rows;
  static constexpr int group = chunks * splits * row_threads;
  static constexpr int groups = warp_size / group;    // points that a warp processes together
  static constexpr int parts = splits * row_threads;  // partial sums per point
  static constexpr int carried =
      chunk_reals > parts ? chunk_reals / parts : 1;  // values that a thread holds after the last step
  // Number of threads that end with the same values.
  static constexpr int owner_stride = parts > chunk_reals ? parts / chunk_reals : 1;
  static constexpr int cells = (W + splits - 1) / splits;   // of a row, per thread
  static constexpr int most_held = sizeof(T) == 4 ? 4 : 2;  // y weights of a thread in registers
  static constexpr int batch = D == 1 ? 32 : sizeof(T) == 8 && W > 8 ? 8 : 16;
  // Weights of a batch lie [axis][l][point]; the stride spreads different l over the banks.
  static constexpr int stride = batch + (D == 1 ? 0 : sizeof(T) == 8 ? 2 : 4);
};

template <typename T, int n>
struct alignas(n * sizeof(T)) Chunk {
  T v[n];
};

/// Data that a warp prepares for a batch of points. Once a point's sums are complete, they replace its
/// weights: value[real of the cell][point].
template <typename T, int D, int W, int L, int batch, int stride>
struct alignas(16) Prepared {
  union {
    T weight[D][W][stride];
    T value[2 * L][stride];
  };
  std::int32_t origin[3][batch];  // first cell (direct), or its chunk in the tile
};

__device__ inline float fused(float a, float b, float c) {
  return fmaf(a, b, c);
}
__device__ inline double fused(double a, double b, double c) {
  return fma(a, b, c);
}

/// The bin of point p: the last with bin_start <= p. The warp compares 32 bins at a time.
__device__ inline int find_bin(const std::int32_t* bin_start, int bins, int p) {
  const int lane = threadIdx.x % warp_size;
  int first = 0, count = bins;
  while (count > 1) {
    const int step = (count + warp_size - 1) / warp_size, probe = lane * step;
    const bool before = probe < count && bin_start[first + probe] <= p;
    const int passed = __popc(__ballot_sync(whole_warp, before)) - 1;
    first += passed * step;
    count = min(step, count - passed * step);
  }
  return first;
}

/// Start of the bin that follows `bin` by the thread's lane plus one.
__device__ inline int start_after(const std::int32_t* bin_start, int bins, int bin) {
  const int next = bin + 1 + static_cast<int>(threadIdx.x % warp_size);
  return next <= bins ? bin_start[next] : 0x7fffffff;
}

/// The bin of each thread's own point, given that no point precedes `bin`; start: from start_after(). Usually
/// one of the next few bins; if points are clustered in distant bins, each thread searches for its own.
__device__ inline int bins_from(const std::int32_t* bin_start, int bins, int bin, int p, int start) {
  int passed = 0;
  for (int step = warp_size / 2; step > 0; step /= 2)
    if (__shfl_sync(whole_warp, start, passed + step - 1) <= p) passed += step;
  if (__shfl_sync(whole_warp, start, passed) <= p) ++passed;
  if (!__any_sync(whole_warp, passed == warp_size)) return bin + passed;
  int last = bins - 1;
  bin += passed;
  while (bin < last) {
    const int middle = (bin + last + 1) / 2;
    if (bin_start[middle] <= p)
      bin = middle;
    else
      last = middle - 1;
  }
  return bin;
}
__device__ inline int bins_from(const std::int32_t* bin_start, int bins, int bin, int p) {
  return bins_from(bin_start, bins, bin, p, start_after(bin_start, bins, bin));
}

/// A box of cells in shared memory: those touched by the points of a run of bins along x.
struct TileBox {
  int first_bin, last_bin;  // of a row of bins
  std::int32_t begin[3], size[3];
};

}  // namespace larmor::nufft::cuda
