#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/operators/nufft/spread/cuda/cost_model.hpp>
#include <larmor/operators/nufft/spread/cuda/cost_table.hpp>
#include <larmor/operators/nufft/spread/cuda/plane/plane_products.hpp>
#include <larmor/operators/nufft/spread/cuda/plane/plane_sums.hpp>
#include <larmor/operators/nufft/spread/cuda/tiles/spread_tile.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <iterator>
#include <limits>

namespace larmor::nufft::cuda {

namespace {

constexpr Way all_ways[] = {Way::in_order, Way::cells, Way::moments, Way::plane, Way::tiles};

// Columns in the table of costs, or −1.
struct TableIndex {
  std::int8_t row[std::size(all_ways)][2][3][2][9];
};
constexpr TableIndex table_index() {
  TableIndex index{};
  for (auto& way : index.row)
    for (auto& direction : way)
      for (auto& dims : direction)
        for (auto& precision : dims)
          for (auto& lanes : precision) lanes = -1;
  for (std::size_t i = 0; i < std::size(point_costs); ++i) {
    const PointCosts& costs = point_costs[i];
    index.row[static_cast<int>(costs.way)][costs.spread][costs.dims - 1][costs.single][costs.lanes] =
        static_cast<std::int8_t>(i);
  }
  return index;
}
constexpr TableIndex index_of_costs = table_index();

template <typename T>
const PointCosts* costs_of(Way way, bool spread, const GriddingSizes& s) {
  const int row = index_of_costs.row[static_cast<int>(way)][spread][s.dims - 1][sizeof(T) == 4][s.lanes];
  return row < 0 ? nullptr : &point_costs[row];
}

// Bytes of shared memory of a multiprocessor that are left for cells by 227 KB and the kernel's polynomials.
constexpr double shared_bytes = 225 * 1024;

double beyond_cache(double bytes) {
  return bytes * bytes / (bytes * bytes + 48e6 * 48e6);
}
// Microseconds to move `bytes` bytes of an array of `held` bytes.
double moved(double bytes, double held) {
  return bytes / 3.6e6 * (0.3 + 0.7 * beyond_cache(held));
}

double number(Index n) {
  return static_cast<double>(n);
}

struct Terms {
  double of[6];
};

// Terms that a row of the table multiplies: launches, points, work per point, passes over the grid, work that
// nothing hides, and clustered points or writes in the caller's order. bench/fit_gpu_costs.py has the same
// terms.
template <typename T>
Terms terms_of(Way way, bool spread, const GriddingSizes& s) {
  constexpr double value = sizeof(std::complex<T>);
  const double samples = number(s.samples), coils = number(s.coils), width = s.width, lanes = s.lanes,
               blocks = number((s.coils + s.lanes - 1) / s.lanes), points = samples * blocks / 1e6,
               cells = number(s.grid[0]) * number(s.grid[1]) * number(s.grid[2]),
               grid_bytes = cells * lanes * blocks * value, passes = moved(grid_bytes, grid_bytes),
               values = samples * lanes * value,
               scattered = moved(samples * lanes * blocks * 64, values) * beyond_cache(values),
               square = width * width / 100;
  switch (way) {
    case Way::in_order: {
      // One coil after another. Eight threads gather the cells of a point together, or one thread gathers
      // them from shared memory.
      const bool staged = (cells + width) * value <= shared_bytes && samples >= cells;
      const double groups = staged ? width / 8 : std::ceil(width / 8);
      return {coils,          points, points * groups, points * width / 10 * beyond_cache(cells * value),
              coils * square, 0};
    }
    case Way::moments:
      return {coils, points, cells * coils * width / 1e6, passes, coils * square, 0};
    case Way::cells:
      return {coils, points, cells * coils * width / 1e6, passes, scattered, coils * samples / cells / 100};
    case Way::plane: {
      const double product = product_cells(s.width);
      if (!spread)
        return {blocks, points, points * product * product / 100, passes, blocks * square, scattered};
      const PlaneCells sums = plane_cells<T>(s.width);
      const double bin = number(sums.columns - s.width + 1) * number(sums.rows - s.width + 1),
                   of_bin = samples * bin / cells, piece = piece_points(s.samples),
                   products = sizeof(T) == 4 ? 1 : sums.rows / 8.0 * sums.columns / 4;
      return {1,
              points,
              points * products,
              passes * sums.columns * sums.rows / bin,
              std::min(of_bin, piece) / 1e3,
              of_bin / piece / 10};
    }
    case Way::tiles:
      break;
  }
  double touched = 0.01, tile = 1, of_tile = samples / cells;
  for (int a = 0; a < std::min(s.dims, 3); ++a) {
    const double n = tile_cells(s.dims, s.lanes, a);
    touched *= width;
    tile *= (n + width - 1) / n;
    of_tile *= n + width - 1;
  }
  if (!spread) return {1, points, points * touched, passes, touched, scattered};
  return {1, points, points * tile, passes, std::min(of_tile, 256.0) / 1e3, scattered};
}

// Transforms in one direction. Lines too long for shared memory take three passes, plus one for the image.
template <typename T>
double cost_of_passes(const GriddingSizes& s, const Shape& image) {
  const bool alone = s.dims == 1 && s.coils == 1;
  const double lanes = s.lanes, blocks = number((s.coils + s.lanes - 1) / s.lanes);
  double held = lanes * blocks * sizeof(std::complex<T>), cost = 0;
  for (int a = 0; a < s.dims; ++a) held *= number(s.grid[a]);
  for (int a = 0; a < s.dims; ++a) {
    const Index length = s.grid[a];
    const bool is_long = length > (alone ? 2048 : larmor::cuda::longest_line),
               fixed = larmor::cuda::is_fixed_line(static_cast<int>(length));
    // A pass reads and writes only the axes that earlier passes have filled; the image side of the first pass
    // is small.
    double values = (is_long ? (a == 0 ? 8 : 6) : a == 0 ? 1 : 2) * lanes * blocks;
    for (int b = 0; b < s.dims; ++b) values *= number(b <= a ? s.grid[b] : image[s.dims - 1 - b]);
    const double time = moved(values * sizeof(std::complex<T>), held);
    cost += pass_costs[0] + pass_costs[is_long ? 1 : fixed ? 2 : 3] * time;
    const double columns = std::min(lanes * sizeof(T) / 4, 8.0);
    cost += is_long ? pass_costs[4] : pass_costs[5] * number(length) / 1e3 * (fixed ? 1 : 1 + 0.3 * columns);
  }
  return cost;
}

}  // namespace

template <typename T>
bool can_grid(Way way, bool spread, const GriddingSizes& s) {
  const bool line = s.dims == 1 && s.lanes == 1;
  switch (way) {
    case Way::in_order:
      return line && !spread;
    case Way::cells:
    case Way::moments:
      return line && spread;
    case Way::plane:
      return s.dims == 2 && (spread ? can_sum_planes<T>(s.lanes, s.width, s.samples, s.grid[0], s.grid[1])
                                    : sizeof(T) == 8 && s.lanes == 1);
    case Way::tiles:
      break;
  }
  return true;
}

template <typename T>
double gridding_cost(Way way, bool spread, const GriddingSizes& sizes) {
  const PointCosts* costs = costs_of<T>(way, spread, sizes);
  if (!costs) return std::numeric_limits<double>::infinity();
  const Terms terms = terms_of<T>(way, spread, sizes);
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += costs->of[i] * terms.of[i];
  return sum;
}

template <typename T>
Way best_way(bool spread, const GriddingSizes& sizes) {
  Way best = Way::tiles;
  double least = std::numeric_limits<double>::infinity();
  for (const Way way : all_ways) {
    if (!can_grid<T>(way, spread, sizes)) continue;
    const double cost = gridding_cost<T>(way, spread, sizes);
    if (cost < least) least = cost, best = way;
  }
  return best;
}

template <typename T>
double transform_cost(const GriddingSizes& sizes, const Shape& image, bool spread, bool interpolate) {
  double cost = 0;
  for (const bool direction : {true, false})
    if (direction ? spread : interpolate)
      cost +=
          gridding_cost<T>(best_way<T>(direction, sizes), direction, sizes) + cost_of_passes<T>(sizes, image);
  return cost;
}

#define LARMOR_INSTANTIATE(T)                                        \
  template bool can_grid<T>(Way, bool, const GriddingSizes&);        \
  template double gridding_cost<T>(Way, bool, const GriddingSizes&); \
  template Way best_way<T>(bool, const GriddingSizes&);              \
  template double transform_cost<T>(const GriddingSizes&, const Shape&, bool, bool);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
