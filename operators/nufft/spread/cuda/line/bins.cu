#include <larmor/core/cuda/device_attribute.cuh>
#include <larmor/core/cuda/host_device.hpp>
#include <larmor/operators/nufft/spread/cuda/line/bins.hpp>
#include <larmor/operators/nufft/spread/cuda/points/kernel_coefficients.cuh>

#include <algorithm>
#include <limits>

namespace larmor::nufft::cuda {
namespace {

constexpr int threads = 128, points_of_thread = 2, chunk = threads * points_of_thread;

template <typename T>
struct BinTask {
  BinnedPoints<T> points;
  const Complex<T>* samples;
  const T* weights;
  Complex<T>* grids;  ///< [runs][cells]

  /// The value of a point whose entry of the order is given.
  __device__ Complex<T> value(std::uint32_t entry) const {
    const std::uint32_t sample = entry & ((1u << BinnedPoints<T>::index_bits) - 1);
    const Complex<T> value = samples[sample];
    if (!weights) return value;
    const T weight = weights[sample];
    return {weight * value.re, weight * value.im};
  }
};

// A run of samples and a tile of its bins, of this block of threads.
template <typename T>
struct Place {
  const std::int32_t* start;
  Complex<T>* grid;
  int first, end;  // bins

  __device__ explicit Place(const BinTask<T>& task) {
    const BinnedPoints<T>& points = task.points;
    const int run = static_cast<int>(blockIdx.x) / points.tiles,
              tile = static_cast<int>(blockIdx.x) - run * points.tiles;
    start = points.start + std::int64_t{run} * points.bins;
    grid = task.grids + std::int64_t{run} * points.cells;
    first = tile * points.tile_bins;
    end = min(first + points.tile_bins, points.bins);
  }
};

struct Range {
  std::int32_t begin, end;
};

template <typename T>
struct alignas(16) Entry {
  Complex<T> value;
  std::uint32_t cell;  ///< modulo 32
};

// A point's weights lie between zeros, so that the four cells of any bin that may look at the point find
// theirs or zeros. Odd: threads that write rows meet different banks.
constexpr int zeros_before = 3, zeros_after = 4;
LARMOR_HOST_DEVICE constexpr int row_pitch(int width) {
  return (width + zeros_before + zeros_after) | 1;
}
template <typename T>
constexpr std::size_t shared_bytes(int width) {
  return chunk * sizeof(Entry<T>) +
         (static_cast<std::size_t>(chunk) * row_pitch(width) + most_coefficients) * sizeof(T);
}

template <typename T>
class Tile {
 public:
  using Points = BinnedPoints<T>;
  __device__ Tile(const BinTask<T>& task, unsigned char* memory)
      : task_(task),
        points_(task.points),
        place_(task),
        pitch_(row_pitch(points_.width)),
        entries_(reinterpret_cast<Entry<T>*>(memory)),
        coefficients_(reinterpret_cast<T*>(entries_ + chunk)),
        weights_(coefficients_ + most_coefficients) {
    load_coefficients(points_, coefficients_);
    for (int p = threadIdx.x; p < chunk; p += threads) {
      T* const row = weights_ + p * pitch_;
      for (int i = 0; i < zeros_before; ++i) row[i] = 0;
      for (int i = 0; i < zeros_after; ++i) row[zeros_before + points_.width + i] = 0;
    }
    bin_ = place_.first + static_cast<int>(threadIdx.x) / points_.threads_of_bin;
    part_ = static_cast<int>(threadIdx.x) % points_.threads_of_bin;
  }

  __device__ void run() {
    // Points touch their first cell and `reach` more, so a bin looks at those from `reach` cells before it
    // to its end, and, around the edge, at those at the grid's end.
    const int reach = points_.width - 1;
    const bool owns = bin_ < place_.end;
    const auto near = [&](int bin) {
      return place_.start[max(0, first_cell(bin) - reach) >> Points::bin_shift];
    };
    add({near(place_.first), place_.start[place_.end]},
        owns ? Range{near(bin_), place_.start[bin_ + 1]} : Range{0, 0}, first_cell(bin_));
    if (first_cell(place_.first) < reach) {
      const auto far = [&](int bin) {
        const int cell = points_.cells + first_cell(bin) - reach;
        return place_.start[min(cell >> Points::bin_shift, points_.bins)];
      };
      const int last = place_.start[points_.bins];
      const bool looks = owns && first_cell(bin_) < reach;
      add({far(place_.first), last}, looks ? Range{far(bin_), last} : Range{0, 0},
          first_cell(bin_) + points_.cells);
    }
    store();
  }

 private:
  static __device__ int first_cell(int bin) { return bin << Points::bin_shift; }

  // Adds to the bin of this thread, whose first cell is `cell`, its part of the points of `mine`; all are
  // those that the bins of the tile look at.
  __device__ void add(Range all, Range mine, int cell) {
    for (int base = all.begin; base < all.end; base += chunk) {
      const int count = min(chunk, all.end - base);
      __syncthreads();
      evaluate(base, count);
      __syncthreads();
      int p = mine.begin + part_;
      const int shared = points_.threads_of_bin, end = min(mine.end, base + count);
      if (p < base) p += (base - p + shared - 1) / shared * shared;
      for (; p < end; p += shared) {
        const Entry<T> entry = entries_[p - base];
        const int behind =
            static_cast<int>((static_cast<std::uint32_t>(cell + zeros_before) - entry.cell) & 31);
        const T* row = weights_ + (p - base) * pitch_ + min(behind, points_.width + zeros_before);
#pragma unroll
        for (int i = 0; i < Points::bin_cells; ++i) {
          sum_[i].re += row[i] * entry.value.re;
          sum_[i].im += row[i] * entry.value.im;
        }
      }
    }
  }

  // Values and weights of points in shared memory.
  __device__ void evaluate(int base, int count) {
    std::uint32_t packed[points_of_thread];
    T u[points_of_thread], square[points_of_thread];
    Complex<T> value[points_of_thread];
#pragma unroll
    for (int k = 0; k < points_of_thread; ++k) {
      const int i = k * threads + static_cast<int>(threadIdx.x), p = base + min(i, count - 1);
      packed[k] = __ldcs(points_.order + p);  // read once: not to push samples out of the cache
      u[k] = __ldcs(points_.offset + p);
    }
#pragma unroll
    for (int k = 0; k < points_of_thread; ++k) value[k] = task_.value(packed[k]);
#pragma unroll
    for (int k = 0; k < points_of_thread; ++k) {
      entries_[k * threads + threadIdx.x] = {value[k], packed[k] >> BinnedPoints<T>::index_bits};
      square[k] = u[k] * u[k];
    }
    T* const row = weights_ + static_cast<int>(threadIdx.x) * pitch_ + zeros_before;
    const int steps = coefficient_steps<T>(points_.degree), width = points_.width;
    const auto* c = reinterpret_cast<const Vector<T>*>(coefficients_);
    for (int l = 0; 2 * l < width; ++l) {
      T even[points_of_thread] = {}, odd[points_of_thread] = {};
      for (int s = 0; s < steps; ++s) {
        const Vector<T> next = *c++;
#pragma unroll
        for (int n = 0; n < 16 / static_cast<int>(sizeof(T)); n += 2)
#pragma unroll
          for (int k = 0; k < points_of_thread; ++k) {
            even[k] = even[k] * square[k] + next.v[n];
            odd[k] = odd[k] * square[k] + next.v[n + 1];
          }
      }
#pragma unroll
      for (int k = 0; k < points_of_thread; ++k) {
        T* const mine = row + k * threads * pitch_;
        mine[l] = even[k] + u[k] * odd[k];
        if (2 * l + 1 < width) mine[width - 1 - l] = even[k] - u[k] * odd[k];
      }
    }
  }

  __device__ void store() {
    for (int step = points_.threads_of_bin / 2; step > 0; step /= 2)
#pragma unroll
      for (Complex<T>& sum : sum_) {
        sum.re += __shfl_xor_sync(~0u, sum.re, step);
        sum.im += __shfl_xor_sync(~0u, sum.im, step);
      }
    // By way of shared memory, so that neighbouring threads store neighbouring cells.
    auto* cells = reinterpret_cast<Complex<T>*>(entries_);
    __syncthreads();
    if (part_ == 0 && bin_ < place_.end)
#pragma unroll
      for (int i = 0; i < Points::bin_cells; ++i) cells[first_cell(bin_ - place_.first) + i] = sum_[i];
    __syncthreads();
    const int count = min(first_cell(place_.end), points_.cells) - first_cell(place_.first);
    for (int i = threadIdx.x; i < count; i += threads) place_.grid[first_cell(place_.first) + i] = cells[i];
  }

  const BinTask<T>& task_;
  const Points& points_;
  Place<T> place_;
  int pitch_;
  Entry<T>* entries_;
  T *coefficients_, *weights_;
  int bin_, part_;  // of this thread
  Complex<T> sum_[Points::bin_cells] = {};
};

template <typename T>
__global__ void __launch_bounds__(threads) bin_kernel(const __grid_constant__ BinTask<T> task) {
  extern __shared__ __align__(16) unsigned char memory[];
  Tile<T>(task, memory).run();
}

template <typename T>
__global__ void __launch_bounds__(threads)
    add_runs(const Complex<T>* grids, int runs, std::int64_t cells, Complex<T>* grid) {
  const std::int64_t c = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (c >= cells) return;
  Complex<T> sum{0, 0};
#pragma unroll 4
  for (int run = 0; run < runs; ++run) {
    const Complex<T> part = grids[run * cells + c];
    sum = {sum.re + part.re, sum.im + part.im};
  }
  grid[c] = sum;
}

constexpr std::int64_t divided(std::int64_t n, std::int64_t by) {
  return (n + by - 1) / by;
}

}  // namespace

template <typename T>
BinnedPoints<T> bin_sizes(const Points<T>& points) {
  BinnedPoints<T> sizes{};
  sizes.set_sizes(points);
  sizes.bins = static_cast<std::int32_t>(divided(sizes.cells, BinnedPoints<T>::bin_cells));
  // Samples of a part of the second-level cache, as several runs are in work at a time. A run's grid costs as
  // much as some points of each bin.
  constexpr std::int64_t points_of_bin = 4, run = 2 << 20;
  sizes.split(run, sizes.samples / (points_of_bin * sizes.bins));
  // The points that a tile looks at should fit into a chunk, but for rare ones.
  const double of_bin = static_cast<double>(sizes.run_samples) / sizes.bins;
  const int before = (sizes.width + 2) / BinnedPoints<T>::bin_cells;
  sizes.threads_of_bin = 1;
  while (sizes.threads_of_bin < 32 && (threads / sizes.threads_of_bin + before) * of_bin > 0.92 * chunk)
    sizes.threads_of_bin *= 2;
  sizes.tile_bins = threads / sizes.threads_of_bin;
  sizes.tiles = static_cast<std::int32_t>(divided(sizes.bins, sizes.tile_bins));
  return sizes;
}

template <typename T>
std::size_t bin_scratch_bytes(const BinnedPoints<T>& points) {
  return points.runs > 1 ? static_cast<std::size_t>(points.runs) * points.cells * sizeof(std::complex<T>) : 0;
}

template <typename T>
void spread_bins(const BinnedPoints<T>& points, const std::complex<T>* samples, const T* weights,
                 std::complex<T>* grid, void* scratch, larmor::cuda::Stream stream) {
  using larmor::cuda::check;
  BinTask<T> task;
  task.points = points;
  task.samples = reinterpret_cast<const Complex<T>*>(samples);
  task.weights = weights;
  auto* whole = reinterpret_cast<Complex<T>*>(grid);
  task.grids = points.runs > 1 ? static_cast<Complex<T>*>(scratch) : whole;
  const std::size_t bytes = shared_bytes<T>(points.width);
  larmor::cuda::allow_shared_bytes(bin_kernel<T>, bytes);
  check(cudaFuncSetAttribute(bin_kernel<T>, cudaFuncAttributePreferredSharedMemoryCarveout, 100),
        "asking for shared memory");
  bin_kernel<T><<<static_cast<unsigned>(points.runs * points.tiles), threads, bytes, stream>>>(task);
  larmor::cuda::check_launch("spread_bins");
  if (points.runs == 1) return;
  add_runs<T><<<static_cast<unsigned>(divided(points.cells, threads)), threads, 0, stream>>>(
      task.grids, points.runs, points.cells, whole);
  larmor::cuda::check_launch("add_runs");
}

#define LARMOR_INSTANTIATE(T)                                                                           \
  template BinnedPoints<T> bin_sizes(const Points<T>&);                                                 \
  template std::size_t bin_scratch_bytes(const BinnedPoints<T>&);                                       \
  template void spread_bins(const BinnedPoints<T>&, const std::complex<T>*, const T*, std::complex<T>*, \
                            void*, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
