#pragma once

#include <larmor/operators/nufft/spread/cuda/points/line_points.hpp>

namespace larmor::nufft::cuda {

/// The grid on which points are sorted.
struct SortGrid {
  int dims;
  double grid[3], half_width;
  std::int32_t cells[3], bin[3], bins[3];
};

template <typename T>
SortGrid sort_grid_of(const Points<T>& points) {
  SortGrid sort_grid{points.dims, {}, 0.5 * points.width, {}, {}, {}};
  for (int a = 0; a < 3; ++a) {
    sort_grid.grid[a] = points.grid[a];
    sort_grid.cells[a] = points.grid[a];
    sort_grid.bin[a] = points.bin[a];
    sort_grid.bins[a] = points.bins[a];
  }
  return sort_grid;
}

template <typename T>
SortGrid sort_grid_of(const LinePoints<T>& points) {
  return {1,
          {static_cast<double>(points.cells), 1, 1},
          0.5 * points.width,
          {points.cells, 1, 1},
          {1, 1, 1},
          {points.cells, 1, 1}};
}

/// The first cell that a point touches along an axis, and the distance of that cell from the kernel's edge.
/// In double for any plan precision: with 1e8 cells, a float coordinate can be off by a cell.
__device__ inline std::int32_t first_cell(const SortGrid& sort_grid, int axis, double k, double& fraction) {
  const double position = (k - floor(k)) * sort_grid.grid[axis] - sort_grid.half_width;
  const double first = ceil(position);
  fraction = first - position;
  auto cell = static_cast<std::int32_t>(first);
  if (cell < 0) cell += sort_grid.cells[axis];
  if (cell >= sort_grid.cells[axis]) cell -= sort_grid.cells[axis];
  return cell;
}

}  // namespace larmor::nufft::cuda
