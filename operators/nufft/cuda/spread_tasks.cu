#include <larmor/operators/nufft/cuda/spread_task.hpp>

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

// Sizes of the tables, and where they lie in memory.
template <typename T>
SpreadTasks layout(const Points<T>& points, int lanes, char* memory, std::size_t& bytes) {
  constexpr std::int64_t fewest_points = 1024, wanted_pieces = 16384;
  SpreadTasks tasks{};
  tasks.lanes = lanes;
  tasks.all_tiles = 1;
  double tiles_of_bin = 1;  // that scan a bin for points, at most; an edge can add one
  for (int a = 0; a < 3; ++a) {
    const int cells = tile_cells(points.dims, lanes, a);
    tasks.tiles[a] = (points.grid[a] + cells - 1) / cells;
    tasks.all_tiles *= tasks.tiles[a];
    if (a < points.dims) tiles_of_bin *= (points.bin[a] + points.width + cells - 3) / cells + 2;
  }
  const double scanned = static_cast<double>(points.samples) * tiles_of_bin;
  tasks.piece = static_cast<std::uint32_t>(
      std::max(static_cast<double>(fewest_points), scanned / static_cast<double>(wanted_pieces)));
  // A crowded tile has n > crowd · piece points and ceil(n / piece) pieces.
  tasks.most_pieces = static_cast<std::int32_t>(scanned / tasks.piece * (1.0 + 1.0 / crowd)) + 1;
  bytes = 0;
  const auto take = [&](auto*& pointer, std::int64_t count) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(memory + bytes);
    bytes += aligned(static_cast<std::size_t>(count) * sizeof *pointer);
  };
  take(tasks.points, tasks.all_tiles);
  take(tasks.counts, 2);
  take(tasks.pieces, tasks.most_pieces);
  take(tasks.crowded, tasks.most_pieces);
  return tasks;
}

struct Axes {
  int grid[3], bins[3], shift[3], cells[3], dims, width;
};

// Counts the points that a tile has to look at. The order in which crowded tiles take their places in the
// tables does not matter to the sums.
__global__ void count_points(Axes axes, SpreadTasks tasks, const std::int32_t* __restrict__ bin_start,
                             std::uint32_t* __restrict__ points, std::int32_t* __restrict__ counts,
                             SpreadPiece* __restrict__ pieces, CrowdedTile* __restrict__ crowded) {
  const std::int64_t tile = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (tile >= tasks.all_tiles) return;
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
  points[tile] = n;
  if (n <= crowd * tasks.piece) return;
  const auto count = static_cast<std::int32_t>((std::uint64_t{n} + tasks.piece - 1) / tasks.piece);
  const std::int32_t first = atomicAdd(&counts[0], count);
  crowded[atomicAdd(&counts[1], 1)] = {static_cast<std::int32_t>(tile), first, count};
  for (std::int32_t i = 0; i < count; ++i)
    pieces[first + i] = {static_cast<std::int32_t>(tile),
                         static_cast<std::uint32_t>(std::uint64_t{n} * i / count),
                         static_cast<std::uint32_t>(std::uint64_t{n} * (i + 1) / count)};
}

// Brings the values of a block of lanes into the points' order: each is read by several tiles, and then in
// whole sectors. A thread moves 32 bytes.
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

// Blocks of lanes whose values are in memory at a time: one if the points are many.
template <typename T>
int blocks_at_a_time(const Points<T>& points, const Coils& coils) {
  constexpr std::int64_t memory = std::int64_t{1} << 28;
  const std::int64_t each = std::max<std::int64_t>(points.samples, 1) * coils.lanes * 2 * sizeof(T);
  return static_cast<int>(std::clamp<std::int64_t>(memory / each, 1, std::max(coils.blocks(), 1)));
}

template <typename T>
std::size_t value_bytes(const Points<T>& points, const Coils& coils) {
  return aligned(static_cast<std::size_t>(blocks_at_a_time(points, coils)) * points.samples * coils.lanes *
                 2 * sizeof(T));
}

template <typename T, int lanes>
void gather(const Points<T>& points, const std::complex<T>* samples, std::int64_t sample_stride,
            const T* weights, std::int64_t coils, int blocks, std::complex<T>* values,
            larmor::cuda::Stream stream) {
  constexpr int parts = std::max<int>(1, lanes * 2 * static_cast<int>(sizeof(T)) / 32);
  gather_values<T, lanes><<<dim3(blocks_for(points.samples * parts), blocks), block_threads, 0, stream>>>(
      samples, sample_stride, weights, points.order, points.samples, static_cast<int>(coils), values);
  larmor::cuda::check_launch("gather_values");
}

}  // namespace

template <typename T>
std::size_t spread_tasks_bytes(const Points<T>& points, int lanes) {
  std::size_t bytes;
  layout(points, lanes, nullptr, bytes);
  return bytes;
}

template <typename T>
SpreadTasks make_spread_tasks(const Points<T>& points, int lanes, void* memory, larmor::cuda::Stream stream) {
  std::size_t bytes;
  const SpreadTasks tasks = layout(points, lanes, static_cast<char*>(memory), bytes);
  Axes axes{{}, {}, {}, {}, points.dims, points.width};
  for (int a = 0; a < 3; ++a) {
    axes.grid[a] = points.grid[a];
    axes.bins[a] = points.bins[a];
    axes.shift[a] = log2_of(points.bin[a]);
    axes.cells[a] = tile_cells(points.dims, lanes, a);
  }
  auto* counts = const_cast<std::int32_t*>(tasks.counts);
  larmor::cuda::check(cudaMemsetAsync(counts, 0, 2 * sizeof *counts, stream), "clearing counters");
  count_points<<<blocks_for(tasks.all_tiles), block_threads, 0, stream>>>(
      axes, tasks, points.bin_start, const_cast<std::uint32_t*>(tasks.points), counts,
      const_cast<SpreadPiece*>(tasks.pieces), const_cast<CrowdedTile*>(tasks.crowded));
  larmor::cuda::check_launch("count_points");
  return tasks;
}

template <typename T>
std::size_t spread_scratch_bytes(const Points<T>& points, const SpreadTasks& tasks, const Coils& coils) {
  return value_bytes(points, coils) + static_cast<std::size_t>(blocks_at_a_time(points, coils)) *
                                          tasks.most_pieces * tile_sums(points.dims, coils.lanes) * 2 *
                                          sizeof(T);
}

template <typename T>
void spread(const Points<T>& points, const SpreadTasks& tasks, const std::complex<T>* samples,
            std::int64_t sample_stride, const T* weights, std::complex<T>* grid, const Coils& coils,
            void* scratch, larmor::cuda::Stream stream) {
  SpreadLaunch<T> launch{points, tasks, {}, nullptr, nullptr, nullptr, 0};
  for (int a = 0; a < 3; ++a) launch.bin_shift[a] = log2_of(points.bin[a]);
  auto* values = static_cast<std::complex<T>*>(scratch);
  launch.values = values;
  launch.partial =
      reinterpret_cast<std::complex<T>*>(static_cast<char*>(scratch) + value_bytes(points, coils));
  const std::int64_t block_cells =
      std::int64_t{points.grid[0]} * points.grid[1] * points.grid[2] * coils.lanes;
  const int at_a_time = blocks_at_a_time(points, coils), all = coils.blocks();
  for (int first = 0; first < all; first += at_a_time) {
    launch.blocks = std::min(at_a_time, all - first);
    launch.grid = grid + first * block_cells;
    const std::int64_t first_coil = std::int64_t{first} * coils.lanes;
    const auto* from = samples + first_coil * sample_stride;
    const auto gather_lanes = [&]<int lanes>() {
      gather<T, lanes>(points, from, sample_stride, weights, coils.count - first_coil, launch.blocks, values,
                       stream);
    };
    if (points.samples > 0) switch (coils.lanes) {
        case 1:
          gather_lanes.template operator()<1>();
          break;
        case 2:
          gather_lanes.template operator()<2>();
          break;
        case 4:
          gather_lanes.template operator()<4>();
          break;
        default:
          gather_lanes.template operator()<8>();
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
