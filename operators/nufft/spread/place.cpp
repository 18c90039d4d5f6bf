#include <larmor/operators/nufft/spread/place.hpp>

#include <cmath>

namespace larmor::nufft {

std::int64_t PlaceAxis::first_cell(std::int64_t tile) const {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(tile) * cells_per_tile() - bias()));
}

PlaceGrid::PlaceGrid(const PlaceAxis* axes, int dims, int kernel_width) : half_width(0.5 * kernel_width) {
  for (std::ptrdiff_t i = 0; i < row; ++i) {
    const PlaceAxis& axis = axes[i % dims];
    cells[i] = axis.cells;
    // With these offsets, rounding to the nearest integer rounds down and up.
    tiles_per_cell[i] = axis.tiles_per_cell();
    tile_offset[i] = axis.bias() * axis.tiles_per_cell() - 0.5;
    cells_per_tile[i] = axis.cells_per_tile();
    cell_offset[i] = 0.5 - axis.bias();
    tile_weight[i] = std::ldexp(axis.tile_stride, tile_shift);
    cell_weight[i] = std::ldexp(1.0, 8 * static_cast<int>(i % dims));
  }
}

}  // namespace larmor::nufft
