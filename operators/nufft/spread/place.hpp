#pragma once

#include <larmor/operators/nufft/spread/coordinates.hpp>

#include <cstddef>
#include <cstdint>

namespace larmor::nufft {

/// Number of points whose cells are found together.
inline constexpr std::ptrdiff_t place_block = 256;
/// Number of points whose coordinates are processed as one row of numbers.
inline constexpr std::ptrdiff_t place_group = 8;

/// Tile index and cell of a point in one integer.
inline constexpr int tile_shift = 24;
inline constexpr std::int64_t most_tiles = std::int64_t{1} << (52 - tile_shift);

/// One axis of the grid on which points are placed. Tiles divide the cells as equally as possible:
///     tile(cell) = floor((cell + b) · tiles/cells),  first(tile) = ceil(tile · cells/tiles − b),
/// with b = 1/2 + 1/(4·tiles). For one tile, or an even number of tiles, b keeps both expressions at least a
/// quarter of a cell's share away from integers, so rounding cannot make them inconsistent below 2^49 tiles
/// times cells.
struct PlaceAxis {
  double cells = 1, tiles = 1;
  double tile_stride = 1;  ///< from one tile to the next along this axis

  double cells_per_tile() const { return cells / tiles; }
  double tiles_per_cell() const { return tiles / cells; }
  double bias() const { return 0.5 + 0.25 / tiles; }
  bool exact() const { return tiles * cells < 0x1p49; }
  std::int64_t first_cell(std::int64_t tile) const;
};

/// All axes, x first, repeated in rows for vector arithmetic: entry i belongs to axis i % dims.
struct PlaceGrid {
  static constexpr std::ptrdiff_t row = 3 * place_group;
  alignas(64) double cells[row];
  alignas(64) double tiles_per_cell[row], tile_offset[row];
  alignas(64) double cells_per_tile[row], cell_offset[row];
  alignas(64) double tile_weight[row], cell_weight[row];
  double half_width;  ///< of the kernel, cells

  PlaceGrid(const PlaceAxis* axes, int dims, int kernel_width);
};

/// Places of up to place_block points. where: the tile · 2^tile_shift + the first of the cells that the point
/// touches along x, y and z, counted from the tile's first, one byte each from the lowest. fraction, [point]
/// [dims]: distance from the kernel's edge to that cell's centre.
template <typename T>
struct Places {
  alignas(64) std::uint64_t where[place_block];
  alignas(64) T fraction[3 * place_block];
};

/// Places the points [first, first + count), periodic with 1. Returns false, with `places` undefined, if a
/// coordinate is not finite.
template <typename T>
using PlacePoints = bool (*)(const Coordinates<T>& points, std::ptrdiff_t first, std::ptrdiff_t count,
                             const PlaceGrid& grid, Places<T>& places);

/// For this processor's best instruction set.
template <typename T>
PlacePoints<T> place_points(int dims);

}  // namespace larmor::nufft
