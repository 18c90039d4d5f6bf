#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/operators/nufft/spread/cuda/cost_model.hpp>
#include <larmor/operators/nufft/spread/cuda/line/cell_moments.hpp>
#include <larmor/operators/nufft/spread/cuda/line/moments.hpp>
#include <larmor/operators/nufft/spread/cuda/plane/plane_products.hpp>
#include <larmor/operators/nufft/spread/cuda/plane/plane_sums.hpp>
#include <larmor/operators/nufft/spread/cuda/tiles/spread_tile.hpp>

#include <algorithm>
#include <cmath>
#include <complex>

namespace larmor::nufft::cuda {

namespace {

// Interpolation takes a part for each point and one for each cell that it touches, spreading a part for each
// cell of a tile that a point may touch. Fitted to measurements of tolerances from 1e-2 to 1e-12
// (bench/results/device.json).
struct PointCost {
  double spread, interpolate;
};
template <typename T>
PointCost cost_of_points(Index samples, const std::array<Index, 3>& grid, int dims, int width, int lanes) {
  const bool several = lanes > 1, single = sizeof(T) == 4;
  const double touched = std::pow(width, dims), points = static_cast<double>(samples);
  double tile = 1;
  for (int a = 0; a < dims; ++a) {
    const double cells = tile_cells(dims, lanes, a);
    tile *= (cells + width - 1) / cells;
  }
  if (dims == 1 && !several) {
    const double cells = static_cast<double>(grid[0]), by_cell = 24 * points + 3 * width * cells;
    const bool meet = points_meet_in_cells(samples, grid[0]);
    const double spread = points_share_cells(samples, grid[0]) ? 12 * points + 250 * cells
                          : meet                               ? by_cell
                                 : (single ? 33 + 1.6 * width : 40 + 2.5 * width) * points + 12 * cells;
    return {spread, meet ? by_cell : (25 + 2.5 * width) * points};
  }
  const double product = product_cells(width);
  const double interpolation = products_suit<T>(dims, lanes, width, samples, grid[0] * grid[1])
                                   ? 45 + 0.12 * product * product
                               : lanes == 2 ? 23 + 0.34 * touched
                               : several    ? (dims == 2 ? 6 + 0.3 * touched : 12 + 0.33 * touched)
                               : single     ? 45 + 0.36 * touched
                                            : 50 + 0.72 * touched;
  if (!single && plane_sums_suit<T>(dims, lanes, width, samples, grid[0], grid[1])) {
    const PlaneCells sums = plane_cells<T>(width);
    const double products = sums.rows / 8 * sums.columns / 4,
                 all_cells = static_cast<double>(grid[0] * grid[1]),
                 written = static_cast<double>(sums.rows * sums.columns) /
                           ((sums.rows - width + 1) * (sums.columns - width + 1));
    return {(31 + 5 * products) * points + 8 * written * all_cells, interpolation * points};
  }
  const double per_tile = single    ? (dims == 2    ? 15
                                       : lanes == 2 ? 19
                                       : several    ? 9.4
                                                    : 38)
                          : several ? 20
                                    : 90;
  return {(per_tile * tile + (several ? 0 : 23)) * points, interpolation * points};
}

// Transforms take the bytes that their passes move, at 3.6 TB/s.
template <typename T>
double cost_of_passes(const std::array<Index, 3>& grid, const Shape& image) {
  const int dims = image.rank();
  double values = 0;
  for (int a = 0; a < dims; ++a) {
    // A pass reads and writes what earlier ones have filled; the image's side of the first is small. Lines
    // beyond shared memory take three passes, and one more for the image.
    const bool is_long = grid[a] > larmor::cuda::longest_line;
    double part = is_long ? (a == 0 ? 8 : 6) : a == 0 ? 1 : 2;
    for (int b = 0; b < dims; ++b) part *= static_cast<double>(b <= a ? grid[b] : image[dims - 1 - b]);
    values += part;
  }
  return values * sizeof(std::complex<T>) / 3.6;
}

}  // namespace

template <typename T>
double transform_cost(Index samples, const std::array<Index, 3>& grid, const Shape& image, int width,
                      const CostOptions& options) {
  const auto points = cost_of_points<T>(samples, grid, std::min(image.rank(), 3), width, options.lanes);
  const double all = (options.spread ? points.spread : 0) + (options.interpolate ? points.interpolate : 0);
  const double directions = (options.spread ? 1 : 0) + (options.interpolate ? 1 : 0);
  return all / std::max(directions, 1.0) + cost_of_passes<T>(grid, image);
}

template double transform_cost<float>(Index, const std::array<Index, 3>&, const Shape&, int,
                                      const CostOptions&);
template double transform_cost<double>(Index, const std::array<Index, 3>&, const Shape&, int,
                                       const CostOptions&);

}  // namespace larmor::nufft::cuda
