#pragma once

#include <cstddef>
#include <cstdint>

namespace larmor::nufft {

/// Points whose cells are found together.
inline constexpr std::ptrdiff_t place_block = 256;

/// The grid that points are placed on; axes x, y, z.
struct PlaceGrid {
  double half_width;             ///< of the kernel, cells
  double cells[3];               ///< of the grid
  double tiles_per_cell[3];      ///< tile of a cell: (cell + 1/2) · tiles_per_cell, rounded down
  std::int32_t tiles[3];         ///< along each axis
  const std::int32_t* first[3];  ///< first cell of each tile
};

/// Where up to place_block points fall: the tile, the first of the cells that each point touches along x, y
/// and z, counted from the tile's first, one byte each from the lowest, and how far that cell's centre lies
/// beyond the kernel's edge.
template <typename T>
struct Places {
  alignas(64) std::int32_t tile[place_block];
  alignas(64) std::int32_t cells[place_block];
  alignas(64) T fraction[3][place_block];
};

/// Places `count` points [count][dims], periodic with 1. False, and no places, when a coordinate is not
/// finite or beyond ±1e9, where rounding to whole turns needs more care.
template <typename T>
using PlacePoints = bool (*)(const double* points, std::ptrdiff_t count, const PlaceGrid& grid,
                             Places<T>& places);

/// For the best instruction set of this processor.
template <typename T>
PlacePoints<T> place_points(int dims);

}  // namespace larmor::nufft
