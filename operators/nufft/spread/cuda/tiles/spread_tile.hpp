#pragma once

#include <larmor/core/cuda/host_device.hpp>
#include <larmor/operators/nufft/kernel/cuda/points.hpp>

namespace larmor::nufft::cuda {

/// Cells, along an axis, of the grid tile that one warp computes when it spreads. Small tiles have fewer
/// candidate points that miss their cells, large ones read each point less often; the sums of a tile's lanes
/// must fit in a warp's registers.
LARMOR_HOST_DEVICE constexpr int tile_cells(int dims, int lanes, int axis) {
  if (dims == 1) return axis == 0 ? 32 : 1;
  const int x = lanes <= 2 ? 8 : 4;
  if (dims == 2) return axis == 0 ? x : axis == 1 ? 16 : 1;
  return axis == 0 ? x : axis == 1 ? (lanes == 1 ? 8 : 4) : 4;
}

/// Bins along one axis whose points touch the cells [begin, end). Bins across the periodic edge are listed
/// after the others; on small grids a bin can be listed twice, because its points can touch the cells from
/// both sides.
struct AxisBins {
  int count = 1;
  int near_count = 1, near_first = 0;  ///< bins whose points lie at or before the cells
  int far_first = 0;                   ///< the first bin across the edge
  int begin = 0, period = 0, shift = 0;

  AxisBins() = default;
  LARMOR_HOST_DEVICE AxisBins(int first_cell, int cells, int grid, int bins, int bin_shift, int width)
      : begin(first_cell), period(grid), shift(bin_shift) {
    const int low = begin - width + 1, end = begin + cells < grid ? begin + cells : grid;
    near_first = (low > 0 ? low : 0) >> shift;
    near_count = ((end - 1) >> shift) - near_first + 1;
    far_first = low < 0 ? (low + grid) >> shift : bins;
    count = near_count + bins - far_first;
  }
  LARMOR_HOST_DEVICE int bin(int i) const {
    return i < near_count ? near_first + i : far_first + i - near_count;
  }
  /// Start of the bin relative to the cells.
  LARMOR_HOST_DEVICE int origin(int i) const {
    return (bin(i) << shift) - begin - (i < near_count ? 0 : period);
  }
};

/// A piece of the points of a crowded tile: candidates [begin, end), in the order of the bins.
struct SpreadPiece {
  std::int32_t tile;
  std::uint32_t begin, end;
};
/// A crowded tile and the location of its pieces.
struct CrowdedTile {
  std::int32_t tile, first_piece, pieces;
};
struct SpreadCounts {
  std::uint32_t crowd;  ///< tiles with more candidate points are crowded
  std::int32_t pieces, crowded;
};

}  // namespace larmor::nufft::cuda
