#include <larmor/operators/nufft/spread/cuda/line/moments.hpp>

#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

constexpr unsigned whole_warp = 0xffffffffu;
constexpr int sum_threads = 256, sum_warps = sum_threads / 32;
constexpr int most_kept = 18;  // polynomials have degrees up to 16

template <typename T>
struct alignas(2 * sizeof(T)) Value {
  T re, im;
};

template <typename T>
struct MomentTask {
  MomentPoints<T> points;
  const Value<T>* samples;
  const T* weights;
  T* moments;  // [cells with points][kept] complex
  // For each range, [ranges][kept] complex: the part of a cell that starts before the range, and of a cell
  // that starts in the range and continues after it; written only if such a cell exists.
  T *head, *tail;
};

__device__ inline float fused(float a, float b, float c) {
  return fmaf(a, b, c);
}
__device__ inline double fused(double a, double b, double c) {
  return fma(a, b, c);
}

// Adds `n` values over all threads of a warp: each thread ends with the sums of `count` of them, starting at
// `first`. In each step a thread halves the values it carries; the upper half of the threads takes the upper
// half.
template <int n, int step, typename T>
__device__ void add_over_warp(T* values, int& first, int& count) {
  if constexpr (step > 0) {
    constexpr int half = (n + 1) / 2;
    const bool upper = threadIdx.x & step;
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const T low = values[i], high = i + half < n ? values[i + half] : T(0);
      values[i] = (upper ? high : low) + __shfl_xor_sync(whole_warp, upper ? low : high, step);
    }
    first += upper ? half : 0;
    count = upper ? max(count - half, 0) : min(count, half);
    add_over_warp<half, step / 2>(values, first, count);
  }
}

// A warp's sums of the moments of one cell.
template <typename T, int kept>
struct Sums {
  T value[2 * kept];

  __device__ void clear() {
#pragma unroll
    for (T& v : value) v = 0;
  }
  __device__ void add(T u, Value<T> v) {
    T power = 1;
#pragma unroll
    for (int n = 0; n < kept; ++n) {
      value[2 * n] = fused(power, v.re, value[2 * n]);
      value[2 * n + 1] = fused(power, v.im, value[2 * n + 1]);
      power *= u;
    }
  }
  /// Writes the sums of all threads and resets them.
  __device__ void store(T* to) {
    int first = 0, count = 2 * kept;
    add_over_warp<2 * kept, 16>(value, first, count);
    constexpr int carried = (2 * kept + 31) / 32;
#pragma unroll
    for (int i = 0; i < carried; ++i)
      if (i < count) to[first + i] = value[i];
    clear();
  }
};

// Batches of 32 points that a warp loads while it works on the same number.
constexpr int ahead = 4;
/// Values being loaded, a slot for each thread.
template <typename T>
using Ring = Value<T>[2][ahead][sum_threads];

template <typename T, int kept>
class RangeSum {
 public:
  __device__ RangeSum(const MomentTask<T>& task, std::int64_t range, Ring<T>& ring)
      : task_(task), ring_(ring), range_(range), lane_(static_cast<int>(threadIdx.x % 32)) {
    begin_ = range * task.points.range;
    end_ = min(begin_ + task.points.range, task.points.samples);
    slot_ = task.points.slot_of_range[range];
    sums_.clear();
  }

  __device__ void run() {
    constexpr int step = 32 * ahead;
    Entries now = entries(begin_);
    fetch(now, 0);
    Entries next = entries(begin_ + step);
    // True until the first change of cells if the current cell starts before the range.
    began_before_ = !(__shfl_sync(whole_warp, now.entry[0], 0) & first_of_cell);
    int half = 0;
    for (std::int64_t base = begin_; base < end_; base += step) {
      fetch(next, half ^ 1);
      const Entries coming = entries(base + 2 * step);
      __pipeline_wait_prior(1);
      // Kept short, not unrolled: each turn shifts the entries by one.
#pragma unroll 1
      for (int b = 0; b < ahead; ++b) {
        unsigned changes = __ballot_sync(whole_warp, now.entry[0] & first_of_cell);
        if (b == 0 && base == begin_) changes &= ~1u;
        add_batch(now.u[0], ring_[half][b][threadIdx.x], changes);
#pragma unroll
        for (int i = 1; i < ahead; ++i) now.entry[i - 1] = now.entry[i], now.u[i - 1] = now.u[i];
      }
      now = next;
      next = coming;
      half ^= 1;
    }
    __pipeline_wait_prior(0);
    const bool goes_on = end_ < task_.points.samples && !(task_.points.order[end_] & first_of_cell);
    if (goes_on && !began_before_)
      sums_.store(task_.tail + range_ * 2 * kept);
    else
      store_cell();
  }

 private:
  static constexpr std::uint32_t first_of_cell = MomentPoints<T>::first_of_cell;

  struct Entries {
    std::uint32_t entry[ahead];
    T u[ahead];
  };

  // Data that are read once should not evict samples from the cache.
  __device__ Entries entries(std::int64_t base) const {
    Entries e;
#pragma unroll
    for (int b = 0; b < ahead; ++b) {
      const std::int64_t p = base + 32 * b + lane_;
      e.entry[b] = p < end_ ? __ldcs(task_.points.order + p) : beyond;
      e.u[b] = p < end_ ? __ldcs(task_.points.offset + p) : T(0);
    }
    return e;
  }
  // Loads the values of the entries into this thread's slots; zeros beyond the range.
  __device__ void fetch(Entries& e, int half) {
#pragma unroll
    for (int b = 0; b < ahead; ++b) {
      Value<T>& place = ring_[half][b][threadIdx.x];
      const std::uint32_t sample = e.entry[b] & ~first_of_cell;
      if (e.entry[b] == beyond) {
        e.entry[b] = 0;
        place = {0, 0};
      } else if (task_.weights) {
        const T weight = task_.weights[sample];
        const Value<T> value = task_.samples[sample];
        place = {weight * value.re, weight * value.im};
      } else {
        __pipeline_memcpy_async(&place, task_.samples + sample, sizeof(Value<T>));
      }
    }
    __pipeline_commit();
  }

  // Points of one cell after another; `changes`: threads whose point is the first of its cell.
  __device__ void add_batch(T u, Value<T> value, unsigned changes) {
    if (changes == 0) return sums_.add(u, value);
    int from = 0;
    while (true) {
      const int to = changes ? __ffs(static_cast<int>(changes)) - 1 : 32;
      const bool mine = lane_ >= from && lane_ < to;
      sums_.add(u, {mine ? value.re : T(0), mine ? value.im : T(0)});
      if (!changes) return;
      store_cell();
      ++slot_;
      began_before_ = false;
      changes &= changes - 1;
      from = to;
    }
  }
  __device__ void store_cell() {
    sums_.store(began_before_ ? task_.head + range_ * 2 * kept
                              : task_.moments + std::int64_t{slot_} * 2 * kept);
  }

  static constexpr std::uint32_t beyond = 0xffffffffu;  // no sample has this index

  const MomentTask<T>& task_;
  Ring<T>& ring_;
  std::int64_t range_, begin_, end_;
  int lane_;
  std::int32_t slot_;
  bool began_before_;
  Sums<T, kept> sums_;
};

template <typename T, int kept>
__global__ void __launch_bounds__(sum_threads, sizeof(T) == 4 ? 3 : 2)
    sum_ranges(const __grid_constant__ MomentTask<T> task) {
  __shared__ Ring<T> ring;
  const std::int64_t range = std::int64_t{blockIdx.x} * sum_warps + threadIdx.x / 32;
  if (range < task.points.ranges) RangeSum<T, kept>(task, range, ring).run();
}

// Cells that span several ranges: a warp adds the parts of the cell that continues after its range, in an
// order that depends only on the ranges. If there are few ranges, each thread takes one value, otherwise one
// range.
constexpr int few_ranges = 32;
template <typename T, int kept>
__global__ void __launch_bounds__(sum_threads) join_ranges(const __grid_constant__ MomentTask<T> task) {
  const MomentPoints<T>& points = task.points;
  const std::int64_t range = std::int64_t{blockIdx.x} * sum_warps + threadIdx.x / 32, ranges = points.ranges;
  constexpr std::uint32_t first_of_cell = MomentPoints<T>::first_of_cell;
  if (range + 1 >= ranges || points.order[(range + 1) * points.range] & first_of_cell) return;
  const std::int32_t slot = points.slot_of_range[range + 1];
  const bool began_here =
      points.slot_of_range[range] != slot || points.order[range * points.range] & first_of_cell;
  if (!began_here) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  constexpr int values = 2 * kept;
  T* const to = task.moments + std::int64_t{slot} * values;
  if (range + few_ranges >= ranges || points.slot_of_range[range + few_ranges] != slot) {
    for (int i = lane; i < values; i += 32) {
      T sum = task.tail[range * values + i];
      for (std::int64_t r = range + 1; r < ranges && points.slot_of_range[r] == slot; ++r)
        sum += task.head[r * values + i];
      to[i] = sum;
    }
    return;
  }
  Sums<T, kept> sums;
  sums.clear();
  const auto add = [&](const T* part) {
#pragma unroll
    for (int i = 0; i < values; ++i) sums.value[i] += part[i];
  };
  if (lane == 0) add(task.tail + range * values);
  for (std::int64_t r = range + 1 + lane; r < ranges && points.slot_of_range[r] == slot; r += 32)
    add(task.head + r * values);
  __syncwarp();
  sums.store(to);
}

// One thread per cell of the grid: Σ_l Σ_n C_ln m_n of the cell l before it, with moments summed over the
// runs.
constexpr int grid_threads = 512, block_cells = 32, most_width = 16;

template <typename T>
__global__ void __launch_bounds__(grid_threads)
    moments_to_grid(const __grid_constant__ MomentTask<T> task, Value<T>* grid) {
  constexpr int near = block_cells + most_width - 1;
  __shared__ Value<T> moments[most_kept][near];
  const MomentPoints<T>& points = task.points;
  const int first = static_cast<int>(blockIdx.x) * block_cells, kept = points.kept,
            here = block_cells + points.width - 1;
  const auto* from = reinterpret_cast<const Value<T>*>(task.moments);
  for (int i = threadIdx.x; i < here * kept; i += grid_threads) {
    const int at = i / kept, n = i - at * kept;
    int cell = first - (points.width - 1) + at;
    if (cell < 0) cell += points.cells;
    Value<T> sum{0, 0};
    if (cell < points.cells) {
#pragma unroll 8
      for (int run = 0; run < points.runs; ++run) {
        const std::int64_t c = std::int64_t{run} * points.cells + cell;
        const bool filled = points.start[c] < points.start[c + 1];
        const Value<T> part = filled ? from[std::int64_t{points.slot[c]} * kept + n] : Value<T>{0, 0};
        sum.re += part.re;
        sum.im += part.im;
      }
    }
    moments[n][at] = sum;
  }
  __syncthreads();
  const int cell = first + static_cast<int>(threadIdx.x);
  if (threadIdx.x >= block_cells || cell >= points.cells) return;
  Value<T> total{0, 0};
  for (int l = 0; l < points.width; ++l) {
    const int at = static_cast<int>(threadIdx.x) + points.width - 1 - l;
    for (int n = 0; n <= points.degree; ++n) {
      const T c = points.coefficients[(points.degree - n) * points.stride + l];
      total.re = fused(c, moments[n][at].re, total.re);
      total.im = fused(c, moments[n][at].im, total.im);
    }
  }
  grid[cell] = total;
}

template <typename T, int kept>
void sum_cells(const MomentTask<T>& task, larmor::cuda::Stream stream) {
  const auto blocks = static_cast<unsigned>((task.points.ranges + sum_warps - 1) / sum_warps);
  sum_ranges<T, kept><<<blocks, sum_threads, 0, stream>>>(task);
  larmor::cuda::check_launch("sum_ranges");
  join_ranges<T, kept><<<blocks, sum_threads, 0, stream>>>(task);
  larmor::cuda::check_launch("join_ranges");
}

// The kernels for a number of moments, found by counting up.
template <typename T, int kept = 6>
void sum_cells_of(const MomentTask<T>& task, larmor::cuda::Stream stream) {
  if (task.points.kept == kept) return sum_cells<T, kept>(task, stream);
  if constexpr (kept < most_kept) sum_cells_of<T, kept + 2>(task, stream);
}

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

template <typename T>
std::size_t cells_bytes(const MomentPoints<T>& points) {
  const std::int64_t most = std::min(points.samples, std::int64_t{points.runs} * points.cells);
  return aligned(static_cast<std::size_t>(most) * points.kept * sizeof(Value<T>));
}
template <typename T>
std::size_t parts_bytes(const MomentPoints<T>& points) {
  return aligned(static_cast<std::size_t>(points.ranges) * points.kept * sizeof(Value<T>));
}

}  // namespace

template <typename T>
std::size_t moment_scratch_bytes(const MomentPoints<T>& points) {
  return cells_bytes(points) + 2 * parts_bytes(points);
}

template <typename T>
void spread_by_moments(const MomentPoints<T>& points, const std::complex<T>* samples, const T* weights,
                       std::complex<T>* grid, void* scratch, larmor::cuda::Stream stream) {
  auto* memory = static_cast<char*>(scratch);
  MomentTask<T> task{};
  task.points = points;
  task.samples = reinterpret_cast<const Value<T>*>(samples);
  task.weights = weights;
  task.moments = reinterpret_cast<T*>(memory);
  task.head = reinterpret_cast<T*>(memory + cells_bytes(points));
  task.tail = reinterpret_cast<T*>(memory + cells_bytes(points) + parts_bytes(points));
  sum_cells_of(task, stream);
  const auto blocks = static_cast<unsigned>((points.cells + block_cells - 1) / block_cells);
  moments_to_grid<T><<<blocks, grid_threads, 0, stream>>>(task, reinterpret_cast<Value<T>*>(grid));
  larmor::cuda::check_launch("moments_to_grid");
}

#define LARMOR_INSTANTIATE(T)                                                               \
  template std::size_t moment_scratch_bytes(const MomentPoints<T>&);                        \
  template void spread_by_moments(const MomentPoints<T>&, const std::complex<T>*, const T*, \
                                  std::complex<T>*, void*, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
