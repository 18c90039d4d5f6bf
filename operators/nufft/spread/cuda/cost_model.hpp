#pragma once

#include <larmor/core/shape.hpp>

#include <array>

namespace larmor::nufft::cuda {

/// Methods of gridding on a GPU. Those in one dimension process one coil at a time.
enum class Way {
  in_order,  ///< interpolation in one dimension in the caller's order (line/any_order.hpp)
  cells,     ///< spreading in one dimension by cells of a few points each (line/cell_moments.hpp)
  moments,   ///< spreading in one dimension by moments of cells (line/moments.hpp)
  plane,     ///< in two dimensions (plane/plane_sums.hpp, plane/plane_products.hpp)
  tiles,     ///< all cases (tiles/spread.hpp, interpolate/interpolate.hpp)
};

/// Grid in the order x, y, z.
struct GriddingSizes {
  int dims;
  Index samples;
  std::array<Index, 3> grid;
  int width, lanes;
  Index coils;  ///< of all blocks
};

/// True if there are kernels for this method and these sizes.
template <typename T>
bool can_grid(Way way, bool spread, const GriddingSizes& sizes);
/// Microseconds for all coils, for random points.
template <typename T>
double gridding_cost(Way way, bool spread, const GriddingSizes& sizes);
/// The cheapest method.
template <typename T>
Way best_way(bool spread, const GriddingSizes& sizes);

/// Transforms between images and grid, and gridding by the best method, for the directions that are used.
template <typename T>
double transform_cost(const GriddingSizes& sizes, const Shape& image, bool spread, bool interpolate);

}  // namespace larmor::nufft::cuda
