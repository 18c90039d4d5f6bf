#pragma once

#include <larmor/core/cuda/device_attribute.cuh>
#include <larmor/operators/nufft/spread/cuda/tiles/spread_tile_sum.cuh>

#include <algorithm>

// Output-driven spreading: each warp owns a tile of the grid and reads every point that touches it. There are
// no additions in memory, so there are no atomics, the grid need not be cleared, and the result always has
// the same bits. The points of crowded tiles are divided among warps, whose sums are added afterwards.
namespace larmor::nufft::cuda {

constexpr int spread_warps = 4;  // per block

template <typename T>
__device__ T* partial_sums(const SpreadLaunch<T>& launch, int block, std::int64_t piece, int sums) {
  return reinterpret_cast<T*>(launch.partial) +
         (std::int64_t{block} * launch.tasks.most_pieces + piece) * sums * 32;
}

// The first blocks process pieces of crowded tiles, which take longest; the others process tiles.
template <typename T, int dims, int lanes, int width>
__global__ void __launch_bounds__(32 * spread_warps, sizeof(T) == 4 && lanes == 1 ? 6 : 4)
    spread_tiles(const __grid_constant__ SpreadLaunch<T> launch, int piece_blocks, int tiles_per_warp) {
  using S = Tile<T, dims, lanes>;
  extern __shared__ __align__(16) char shared[];
  T* coefficients = reinterpret_cast<T*>(shared);
  const int warp = static_cast<int>(threadIdx.x / 32), block = static_cast<int>(blockIdx.y);
  char* mine = shared + most_coefficients * sizeof(T) + warp * S::warp_bytes;
  const SpreadTasks& tasks = launch.tasks;
  const bool in_pieces = static_cast<int>(blockIdx.x) < piece_blocks;
  // This warp's tasks: pieces, starting with the first, or tiles.
  const std::int64_t first = in_pieces
                                 ? std::int64_t{blockIdx.x} * spread_warps
                                 : (std::int64_t{blockIdx.x} - piece_blocks) * tiles_per_warp * spread_warps;
  const std::int64_t step = in_pieces ? piece_blocks * spread_warps : spread_warps;
  const std::int64_t end = in_pieces ? std::int64_t{tasks.counts->pieces}
                                     : min(first + tiles_per_warp * spread_warps, tasks.all_tiles);
  if (first >= end) return;
  load_coefficients(launch.points, coefficients);
  using Sum = TileSum<T, dims, lanes, width>;
  if (Sum::keeps_zeros) Sum::clear_weights(mine);
  __syncthreads();
  const std::uint32_t crowd = tasks.counts->crowd;
  std::uint32_t points = !in_pieces && first + warp < end ? tasks.points[first + warp] : 0;
  for (std::int64_t i = first + warp; i < end; i += step) {
    SpreadPiece task{static_cast<std::int32_t>(i), 0, points};
    if (in_pieces) {
      task = tasks.pieces[i];
    } else {
      if (i + step < end) points = tasks.points[i + step];  // for the next tile
      if (task.end > crowd) continue;
    }
    Sum sum(launch, coefficients, mine, block, task.tile);
    if (task.end > task.begin) sum.add(task.begin, task.end);
    if (in_pieces)
      sum.store_partial(partial_sums(launch, block, i, S::sums));
    else
      sum.store(launch.grid);
  }
}

// The pieces of crowded tiles are added in a fixed order: warp w adds those with index w modulo the number of
// warps, then the warps' sums are added.
constexpr int combine_warps = 8;

template <typename T, int dims, int lanes>
__global__ void __launch_bounds__(32 * combine_warps)
    combine_pieces(const __grid_constant__ SpreadLaunch<T> launch) {
  using S = Tile<T, dims, lanes>;
  extern __shared__ __align__(16) char shared[];
  T* part = reinterpret_cast<T*>(shared);
  const int warp = static_cast<int>(threadIdx.x / 32), block = static_cast<int>(blockIdx.y);
  const int crowded = launch.tasks.counts->crowded;
  for (int c = static_cast<int>(blockIdx.x); c < crowded; c += static_cast<int>(gridDim.x)) {
    const CrowdedTile tile = launch.tasks.crowded[c];
    TileSum<T, dims, lanes, 3> sum(launch, nullptr, nullptr, block, tile.tile);
    for (int i = warp; i < tile.pieces; i += combine_warps)
      sum.add_partial(partial_sums(launch, block, tile.first_piece + i, S::sums));
    const int used = min(tile.pieces, combine_warps);
    if (warp > 0 && warp < used) sum.store_partial(part + (warp - 1) * S::sums * 32);
    __syncthreads();
    if (warp == 0) {
      for (int w = 0; w < used - 1; ++w) sum.add_partial(part + w * S::sums * 32);
      sum.store(launch.grid);
    }
    __syncthreads();
  }
}

template <typename T>
using SpreadKernel = void (*)(SpreadLaunch<T>, int, int);

// The kernel for a width, found by counting up from the narrowest.
template <typename T, int dims, int lanes, int width = 3>
SpreadKernel<T> kernel_of_width(int wanted) {
  constexpr int widest = sizeof(T) == 4 ? 10 : 16;
  if (wanted == width) return spread_tiles<T, dims, lanes, width>;
  if constexpr (width < widest) return kernel_of_width<T, dims, lanes, width + 1>(wanted);
  return nullptr;
}

template <typename T, int dims, int lanes>
void launch_lanes(const SpreadLaunch<T>& launch, larmor::cuda::Stream stream) {
  using S = Tile<T, dims, lanes>;
  constexpr std::size_t bytes = most_coefficients * sizeof(T) + spread_warps * S::warp_bytes;
  const auto kernel = kernel_of_width<T, dims, lanes>(launch.points.width);
  if (bytes > 48 * 1024) larmor::cuda::allow_shared_bytes(kernel, bytes);
  // Blocks that process several tiles load the coefficients less often; there should still be many blocks.
  const std::int64_t tiles = launch.tasks.all_tiles;
  const int tiles_per_warp =
      static_cast<int>(std::clamp<std::int64_t>(tiles * launch.blocks / (1 << 16), 1, 8));
  const std::int64_t per_block = std::int64_t{spread_warps} * tiles_per_warp;
  const int piece_blocks = std::min((launch.tasks.most_pieces + spread_warps - 1) / spread_warps, 4096);
  const dim3 blocks(static_cast<unsigned>(piece_blocks + (tiles + per_block - 1) / per_block), launch.blocks);
  kernel<<<blocks, 32 * spread_warps, bytes, stream>>>(launch, piece_blocks, tiles_per_warp);
  larmor::cuda::check_launch("spread_tiles");

  constexpr std::size_t combine_bytes = (combine_warps - 1) * S::sums * 32 * sizeof(T);
  const auto combine = combine_pieces<T, dims, lanes>;
  if (combine_bytes > 48 * 1024) larmor::cuda::allow_shared_bytes(combine, combine_bytes);
  const auto most_crowded =
      std::min<std::int64_t>(std::min<std::int64_t>(tiles, launch.tasks.most_pieces), 1024);
  combine<<<dim3(static_cast<unsigned>(most_crowded), launch.blocks), 32 * combine_warps, combine_bytes,
            stream>>>(launch);
  larmor::cuda::check_launch("combine_pieces");
}

template <typename T, int dims>
void launch_spread(const SpreadLaunch<T>& launch, larmor::cuda::Stream stream) {
  switch (launch.tasks.lanes) {
    case 1:
      return launch_lanes<T, dims, 1>(launch, stream);
    case 4:
      return launch_lanes<T, dims, 4>(launch, stream);
    case 2:
      if constexpr (can_spread<T>(2)) launch_lanes<T, dims, 2>(launch, stream);
      return;
    default:
      if constexpr (can_spread<T>(8)) launch_lanes<T, dims, 8>(launch, stream);
  }
}

}  // namespace larmor::nufft::cuda
