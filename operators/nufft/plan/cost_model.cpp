#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/operators/nufft/kernel/coils.hpp>
#include <larmor/operators/nufft/plan/cost_model.hpp>
#include <larmor/operators/nufft/spread/cpu_gridding.hpp>
#include <larmor/operators/nufft/spread/cuda/cost_model.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace larmor::nufft {
namespace {

// Nanoseconds of one core per coil, mean of both directions, measured on an AVX-512 processor (random points,
// widths 4 … 16); only ratios matter. point + touched · w^dims for each point; `cell` for each cell of the
// grid: transforms, deapodisation, zeroing.
struct Cost {
  double point, touched, cell;
};
constexpr Cost one_lane[2][3] = {{{4, 1.6, 5}, {13, 0.17, 3.3}, {12, 0.155, 3.8}},
                                 {{6, 1.9, 8}, {25, 0.33, 4.6}, {15, 0.23, 6.4}}};
constexpr Cost several_lanes[2][3] = {{{2.8, 0.15, 8.5}, {3, 0.105, 4}, {12, 0.107, 4.5}},
                                      {{3, 0.5, 11}, {6, 0.2, 5.8}, {15, 0.2, 7}}};

double cells_of(const std::array<Index, 3>& grid, int dims) {
  double cells = 1;
  for (int a = 0; a < dims; ++a) cells *= static_cast<double>(grid[a]);
  return cells;
}

template <typename T>
double cpu_gridding_cost(Index samples, const std::array<Index, 3>& grid, int dims, int width, Index batch) {
  const Cost& c = (batch > 1 ? several_lanes : one_lane)[sizeof(T) == 8][dims - 1];
  double cell = c.cell;
  // A single lane is spread into copies of tiles with their margins, which are then added to the grid.
  if (batch <= 1) cell += 0.5 * std::pow(1 + (width - 1) / static_cast<double>(tile_cells[dims - 1]), dims);
  return static_cast<double>(samples) * (c.point + c.touched * std::pow(width, dims)) +
         cells_of(grid, dims) * cell;
}

// Cost per coil, in units of one grid cell.
double matrix_cost(Index samples, const std::array<Index, 3>& grid, int dims, int width, bool on_gpu) {
  const double entry = on_gpu ? 0.15 : 0.075;
  return entry * static_cast<double>(samples) * std::pow(width, dims) + cells_of(grid, dims);
}

}  // namespace

template <typename T>
GridChoice<T> choose_plan_grid(const Shape& image, Index samples, const PlanOptions& options,
                               const Context& ctx) {
  const int dims = image.rank();
  // On a GPU: the cheapest number of lanes and its cost. Contiguous long lines are transformed several at a
  // time.
  const auto best_lanes = [&](const std::array<Index, 3>& grid, int width) {
    std::pair<int, double> best{1, std::numeric_limits<double>::infinity()};
    if constexpr (larmor::cuda::built) {
      const Index coils = std::max<Index>(1, options.batch),
                  longest = *std::max_element(grid.begin(), grid.end());
      for (int lanes = 1; lanes <= widest_lanes<T>; lanes *= 2) {
        if (lanes > 1 && (lanes >= 2 * coils || longest > larmor::cuda::longest_line || options.small_grid ||
                          grid[0] * grid[1] * lanes > std::numeric_limits<std::int32_t>::max()))
          break;
        if (lanes == 2 && sizeof(T) == 8) continue;
        const double cost = cuda::transform_cost<T>({dims, samples, grid, width, lanes, coils}, image,
                                                    options.adjoint, options.forward);
        if (cost < best.second) best = {lanes, cost};
      }
    }
    return best;
  };
  GridCosts costs{fast_fft_size, [&](const std::array<Index, 3>& grid, int width) {
                    if (options.method == NufftMethod::matrix)
                      return matrix_cost(samples, grid, dims, width, ctx.on_gpu());
                    if (ctx.on_gpu()) return best_lanes(grid, width).second;
                    return cpu_gridding_cost<T>(samples, grid, dims, width, options.batch);
                  }};
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu())
      costs.fast_length = [](Index n) { return Index{larmor::cuda::fast_line_length(static_cast<int>(n))}; };
  auto choice = choose_grid<T>(image, options, costs);
  if (ctx.on_gpu())
    choice.lanes = options.small_grid ? 1
                   : options.method == NufftMethod::matrix
                       ? next_lanes<T>(options.batch)
                       : best_lanes(choice.grid, choice.kernel->kernel.width()).first;
  return choice;
}

#define LARMOR_INSTANTIATE(T) \
  template GridChoice<T> choose_plan_grid<T>(const Shape&, Index, const PlanOptions&, const Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
