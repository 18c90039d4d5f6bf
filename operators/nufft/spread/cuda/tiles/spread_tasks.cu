#include <larmor/operators/nufft/spread/cuda/tiles/spread_task.hpp>

#include <cuda_runtime.h>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

constexpr int block_threads = 256;

unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>((items + block_threads - 1) / block_threads);
}

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

int log2_of(int power_of_two) {
  int shift = 0;
  while ((1 << shift) < power_of_two) ++shift;
  return shift;
}

// Minimum number of points per piece, so that adding the pieces costs little; lower for few points, where all
// warps would wait for those with crowded tiles.
int fewest_points_log2(std::int64_t samples) {
  return samples < 1 << 17 ? 7 : 8;
}

// Histogram of tiles, and of their candidate points, by the logarithm of the number of points.
struct Histogram {
  unsigned long long tiles[32], points[32];
};

struct Tables {
  std::uint32_t* points;
  SpreadCounts* counts;
  SpreadPiece* pieces;
  CrowdedTile* crowded;
  Histogram* histogram;
};

// Sizes of the tables and their place in memory.
template <typename T>
SpreadTasks layout(const Points<T>& points, int lanes, char* memory, Tables& tables, std::size_t& bytes) {
  SpreadTasks tasks{};
  tasks.lanes = lanes;
  tasks.all_tiles = 1;
  double scanned = static_cast<double>(points.samples);  // upper bound of candidate points over all tiles
  for (int a = 0; a < 3; ++a) {
    const int cells = tile_cells(points.dims, lanes, a);
    tasks.tiles[a] = (points.grid[a] + cells - 1) / cells;
    tasks.all_tiles *= tasks.tiles[a];
    // Tiles around a bin; one more may be needed at the periodic edge.
    if (a < points.dims) scanned *= (points.bin[a] + points.width + cells - 3) / cells + 2;
  }
  // For the sums of pieces; small compared with grids.
  const double budget = points.dims == 3 ? 1 << 25 : 1 << 24;
  const double most = budget / static_cast<double>(tile_sums(points.dims, lanes) * 2 * sizeof(T));
  tasks.most_pieces =
      static_cast<std::int32_t>(std::min(most, scanned * 1.5 / (1 << fewest_points_log2(points.samples)))) +
      1;
  bytes = 0;
  const auto take = [&](auto*& pointer, std::int64_t count) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(memory + bytes);
    bytes += aligned(static_cast<std::size_t>(count) * sizeof *pointer);
  };
  take(tables.points, tasks.all_tiles);
  take(tables.counts, 1);
  take(tables.pieces, tasks.most_pieces);
  take(tables.crowded, tasks.most_pieces);
  take(tables.histogram, 1);
  tasks.points = tables.points;
  tasks.counts = tables.counts;
  tasks.pieces = tables.pieces;
  tasks.crowded = tables.crowded;
  return tasks;
}

struct Axes {
  int grid[3], bins[3], shift[3], cells[3], dims, width;
};

__device__ std::uint32_t points_around(const Axes& axes, const SpreadTasks& tasks,
                                       const std::int32_t* __restrict__ bin_start, std::int64_t tile) {
  std::int64_t rest = tile;
  AxisBins around[3];
  for (int a = 0; a < axes.dims; ++a) {
    const int t = static_cast<int>(rest % tasks.tiles[a]);
    rest /= tasks.tiles[a];
    around[a] =
        AxisBins(t * axes.cells[a], axes.cells[a], axes.grid[a], axes.bins[a], axes.shift[a], axes.width);
  }
  const AxisBins& x = around[0];
  const int far_count = x.count - x.near_count;
  std::uint32_t n = 0;
  for (int k = 0; k < around[2].count; ++k)
    for (int j = 0; j < around[1].count; ++j) {
      const int bz = axes.dims > 2 ? around[2].bin(k) : 0, by = axes.dims > 1 ? around[1].bin(j) : 0;
      const std::int64_t row = (std::int64_t{bz} * axes.bins[1] + by) * axes.bins[0];
      n += bin_start[row + x.near_first + x.near_count] - bin_start[row + x.near_first];
      n += bin_start[row + x.far_first + far_count] - bin_start[row + x.far_first];
    }
  return n;
}

// Counts the candidate points of a tile.
__global__ void count_points(Axes axes, SpreadTasks tasks, const std::int32_t* __restrict__ bin_start,
                             int fewest_log2, std::uint32_t* __restrict__ points, Histogram* histogram) {
  __shared__ Histogram local;
  if (threadIdx.x < 32) local.tiles[threadIdx.x] = local.points[threadIdx.x] = 0;
  __syncthreads();
  const std::int64_t tile = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (tile < tasks.all_tiles) {
    const std::uint32_t n = points_around(axes, tasks, bin_start, tile);
    points[tile] = n;
    if (n >> fewest_log2 > 0) {
      const int log2 = 31 - __clz(static_cast<int>(n));
      atomicAdd(&local.tiles[log2], 1ull);
      atomicAdd(&local.points[log2], static_cast<unsigned long long>(n));
    }
  }
  __syncthreads();
  if (threadIdx.x < 32 && local.tiles[threadIdx.x] > 0) {
    atomicAdd(&histogram->tiles[threadIdx.x], local.tiles[threadIdx.x]);
    atomicAdd(&histogram->points[threadIdx.x], local.points[threadIdx.x]);
  }
}

// The shortest pieces for which the tables have room. Tiles with twice as many points as a piece are crowded.
__global__ void choose_crowd(const Histogram* histogram, int most_pieces, int fewest_log2,
                             SpreadCounts* counts) {
  int log2 = fewest_log2;
  for (unsigned long long pieces = 0; log2 < 31; ++log2) {
    pieces = 0;
    for (int b = log2 + 1; b < 32; ++b) pieces += (histogram->points[b] >> log2) + histogram->tiles[b];
    if (pieces <= static_cast<unsigned long long>(most_pieces)) break;
  }
  *counts = {2u << log2, 0, 0};
}

// The order of crowded tiles in the tables does not affect the sums.
__global__ void divide_tiles(SpreadTasks tasks, SpreadCounts* counts, SpreadPiece* __restrict__ pieces,
                             CrowdedTile* __restrict__ crowded) {
  const std::int64_t tile = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (tile >= tasks.all_tiles) return;
  const std::uint32_t n = tasks.points[tile], piece = counts->crowd / 2;
  if (n <= counts->crowd) return;
  const auto count = static_cast<std::int32_t>((std::uint64_t{n} + piece - 1) / piece);
  const std::int32_t first = atomicAdd(&counts->pieces, count);
  crowded[atomicAdd(&counts->crowded, 1)] = {static_cast<std::int32_t>(tile), first, count};
  for (std::int32_t i = 0; i < count; ++i)
    pieces[first + i] = {static_cast<std::int32_t>(tile),
                         static_cast<std::uint32_t>(std::uint64_t{n} * i / count),
                         static_cast<std::uint32_t>(std::uint64_t{n} * (i + 1) / count)};
}

// Copies the values of a block of lanes into the points' order: each is read by several tiles, then in whole
// sectors. Each thread moves 32 bytes.
template <typename T, int lanes>
__global__ void gather_values(const std::complex<T>* __restrict__ samples, std::int64_t sample_stride,
                              const T* __restrict__ weights, const std::int32_t* __restrict__ order,
                              std::int64_t count, int coils, std::complex<T>* __restrict__ values) {
  constexpr int part =
      lanes * 2 * static_cast<int>(sizeof(T)) <= 32 ? lanes : 16 / static_cast<int>(sizeof(T));
  constexpr int parts = lanes / part;
  struct alignas(part * 2 * sizeof(T) < 16 ? 8 : 16) Part {
    T v[2 * part];
  };
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::int64_t p = i / parts;
  if (p >= count) return;
  const int block = blockIdx.y, first = static_cast<int>(i % parts) * part;
  const std::int32_t j = order[p];
  const T weight = weights ? weights[j] : T(1);
  const T* from = reinterpret_cast<const T*>(samples);
  Part out;
#pragma unroll
  for (int l = 0; l < part; ++l) {
    const int coil = block * lanes + first + l;
    out.v[2 * l] = out.v[2 * l + 1] = 0;
    if (coil < coils) {
      const T* value = from + 2 * (coil * sample_stride + j);
      out.v[2 * l] = weight * value[0];
      out.v[2 * l + 1] = weight * value[1];
    }
  }
  reinterpret_cast<Part*>(values + block * count * lanes)[i] = out;
}

// Memory for a block of lanes: its values and the sums of pieces of tiles.
template <typename T>
std::size_t value_bytes(const Points<T>& points, int lanes) {
  return gathers_first(points.dims, lanes)
             ? aligned(static_cast<std::size_t>(points.samples) * lanes * 2 * sizeof(T))
             : 0;
}
template <typename T>
std::size_t partial_bytes(const Points<T>& points, const SpreadTasks& tasks) {
  return aligned(static_cast<std::size_t>(tasks.most_pieces) * tile_sums(points.dims, tasks.lanes) * 2 *
                 sizeof(T));
}

// Blocks of lanes that are processed together: one if they are large.
template <typename T>
int blocks_at_a_time(const Points<T>& points, const SpreadTasks& tasks, const Coils& coils) {
  constexpr std::size_t memory = std::size_t{1} << 28;
  const std::size_t each = value_bytes(points, tasks.lanes) + partial_bytes(points, tasks);
  return static_cast<int>(std::clamp<std::size_t>(memory / each, 1, std::max(coils.blocks(), 1)));
}

template <typename T, int lanes>
void gather(const SpreadLaunch<T>& launch, std::complex<T>* values, larmor::cuda::Stream stream) {
  constexpr int parts = std::max<int>(1, lanes * 2 * static_cast<int>(sizeof(T)) / 32);
  const Points<T>& points = launch.points;
  gather_values<T, lanes>
      <<<dim3(blocks_for(points.samples * parts), launch.blocks), block_threads, 0, stream>>>(
          launch.samples, launch.sample_stride, launch.weights, points.order, points.samples,
          static_cast<int>(launch.coils), values);
  larmor::cuda::check_launch("gather_values");
}

}  // namespace

template <typename T>
std::size_t spread_tasks_bytes(const Points<T>& points, int lanes) {
  std::size_t bytes;
  Tables tables;
  layout(points, lanes, nullptr, tables, bytes);
  return bytes;
}

template <typename T>
SpreadTasks make_spread_tasks(const Points<T>& points, int lanes, void* memory, larmor::cuda::Stream stream) {
  std::size_t bytes;
  Tables tables;
  SpreadTasks tasks = layout(points, lanes, static_cast<char*>(memory), tables, bytes);
  Axes axes{{}, {}, {}, {}, points.dims, points.width};
  for (int a = 0; a < 3; ++a) {
    axes.grid[a] = points.grid[a];
    axes.bins[a] = points.bins[a];
    axes.shift[a] = log2_of(points.bin[a]);
    axes.cells[a] = tile_cells(points.dims, lanes, a);
  }
  larmor::cuda::check(cudaMemsetAsync(tables.histogram, 0, sizeof(Histogram), stream), "clearing counters");
  const unsigned blocks = blocks_for(tasks.all_tiles);
  const int fewest_log2 = fewest_points_log2(points.samples);
  count_points<<<blocks, block_threads, 0, stream>>>(axes, tasks, points.bin_start, fewest_log2,
                                                     tables.points, tables.histogram);
  larmor::cuda::check_launch("count_points");
  choose_crowd<<<1, 1, 0, stream>>>(tables.histogram, tasks.most_pieces, fewest_log2, tables.counts);
  larmor::cuda::check_launch("choose_crowd");
  divide_tiles<<<blocks, block_threads, 0, stream>>>(tasks, tables.counts, tables.pieces, tables.crowded);
  larmor::cuda::check_launch("divide_tiles");
  return tasks;
}

template <typename T>
std::size_t spread_scratch_bytes(const Points<T>& points, const SpreadTasks& tasks, const Coils& coils) {
  return blocks_at_a_time(points, tasks, coils) *
         (value_bytes(points, tasks.lanes) + partial_bytes(points, tasks));
}

template <typename T>
void spread(const Points<T>& points, const SpreadTasks& tasks, const std::complex<T>* samples,
            std::int64_t sample_stride, const T* weights, std::complex<T>* grid, const Coils& coils,
            void* scratch, larmor::cuda::Stream stream) {
  const int at_a_time = blocks_at_a_time(points, tasks, coils), all = coils.blocks();
  SpreadLaunch<T> launch{};
  launch.points = points;
  launch.tasks = tasks;
  for (int a = 0; a < 3; ++a) launch.bin_shift[a] = log2_of(points.bin[a]);
  launch.sample_stride = sample_stride;
  launch.weights = weights;
  auto* values = static_cast<std::complex<T>*>(scratch);
  launch.values = values;
  launch.partial = reinterpret_cast<std::complex<T>*>(static_cast<char*>(scratch) +
                                                      at_a_time * value_bytes(points, tasks.lanes));
  const std::int64_t block_cells =
      std::int64_t{points.grid[0]} * points.grid[1] * points.grid[2] * coils.lanes;
  for (int first = 0; first < all; first += at_a_time) {
    const std::int64_t first_coil = std::int64_t{first} * coils.lanes;
    launch.blocks = std::min(at_a_time, all - first);
    launch.grid = grid + first * block_cells;
    launch.samples = samples + first_coil * sample_stride;
    launch.coils = coils.count - first_coil;
    if (gathers_first(points.dims, coils.lanes) && points.samples > 0) {
      if (coils.lanes == 1)
        gather<T, 1>(launch, values, stream);
      else if (coils.lanes == 4)
        gather<T, 4>(launch, values, stream);
      else if constexpr (sizeof(T) == 4)
        coils.lanes == 2 ? gather<T, 2>(launch, values, stream) : gather<T, 8>(launch, values, stream);
    }
    if (points.dims == 1)
      launch_spread<T, 1>(launch, stream);
    else if (points.dims == 2)
      launch_spread<T, 2>(launch, stream);
    else
      launch_spread<T, 3>(launch, stream);
  }
}

#define LARMOR_INSTANTIATE(T)                                                                                \
  template std::size_t spread_tasks_bytes(const Points<T>&, int);                                            \
  template SpreadTasks make_spread_tasks(const Points<T>&, int, void*, larmor::cuda::Stream);                \
  template std::size_t spread_scratch_bytes(const Points<T>&, const SpreadTasks&, const Coils&);             \
  template void spread(const Points<T>&, const SpreadTasks&, const std::complex<T>*, std::int64_t, const T*, \
                       std::complex<T>*, const Coils&, void*, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
