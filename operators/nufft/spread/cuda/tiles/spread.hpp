#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/nufft/kernel/cuda/points.hpp>
#include <larmor/operators/nufft/spread/cuda/tiles/spread_tile.hpp>

#include <complex>
#include <cstddef>

namespace larmor::nufft::cuda {

/// Division of spreading with a given number of lanes into tasks: one for each tile of the grid, and several
/// for a tile with more points than one warp should process. Passed to kernels by value.
struct SpreadTasks {
  int lanes;
  std::int32_t tiles[3];  ///< tiles per axis
  std::int64_t all_tiles;
  std::int32_t most_pieces;     ///< an upper bound
  const std::uint32_t* points;  ///< [all_tiles]: points in the bins around the tile
  const SpreadCounts* counts;
  const SpreadPiece* pieces;
  const CrowdedTile* crowded;
};

/// Numbers of lanes for which spreading is compiled: 1, 4, and in single precision also 2 and 8.
template <typename T>
constexpr bool can_spread(int lanes) {
  return lanes == 1 || lanes == 4 || ((lanes == 2 || lanes == 8) && sizeof(T) == 4);
}

/// Device memory of the tables of SpreadTasks.
template <typename T>
std::size_t spread_tasks_bytes(const Points<T>& points, int lanes);
/// The tasks for sorted points; their tables are written to `memory`. The cells of a bin must be powers of
/// two, at most 32 along an axis.
template <typename T>
SpreadTasks make_spread_tasks(const Points<T>& points, int lanes, void* memory, larmor::cuda::Stream stream);

/// Device memory that spread needs while it runs.
template <typename T>
std::size_t spread_scratch_bytes(const Points<T>& points, const SpreadTasks& tasks, const Coils& coils);

/// grid = Σ_p weights_p · samples_p · kernel, every cell written (padding lanes with zeros).
/// samples [coils][sample_stride] in the caller's order; weights [samples] in the caller's order or null. The
/// same input gives the same bits: every cell has one owner, which adds in a fixed order. Every axis of the
/// grid must have at least `width` cells.
template <typename T>
void spread(const Points<T>& points, const SpreadTasks& tasks, const std::complex<T>* samples,
            std::int64_t sample_stride, const T* weights, std::complex<T>* grid, const Coils& coils,
            void* scratch, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
