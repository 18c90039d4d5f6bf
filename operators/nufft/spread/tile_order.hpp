#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/context.hpp>
#include <larmor/operators/nufft/spread/place.hpp>
#include <larmor/operators/nufft/spread/points.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace larmor::nufft {

/// Points in the order of the tiles of a grid.
struct TileOrder {
  Array<std::byte> records;       ///< PointRecord<T, dims>[samples]
  std::vector<Index> tile_start;  ///< first point of each tile, and the end
};

/// Sorts points, periodic with 1, by the tile of the first cell that a kernel of this width touches; within a
/// tile they keep the caller's order. axes: x, y, z. Throws Error (input) for points that are not finite.
template <typename T>
TileOrder sort_points(const Points<T>& points, const std::array<PlaceAxis, 3>& axes, int width, Context& ctx);

}  // namespace larmor::nufft
