#include <larmor/operators/nufft/plan/cpu_plan.hpp>

#include <cmath>

namespace larmor::nufft {
namespace {

// Nanoseconds of one core for a coil, mean of both directions, as measured on an AVX-512 processor (random
// points, widths 4 … 16); only ratios count. point + touched · w^dims for each point; cell for each cell of
// the grid: transforms, deapodisation, zeros.
struct Cost {
  double point, touched, cell;
};
constexpr Cost one_lane[2][3] = {{{4, 1.6, 5}, {13, 0.17, 3.3}, {12, 0.155, 3.8}},
                                 {{6, 1.9, 8}, {25, 0.33, 4.6}, {15, 0.23, 6.4}}};
constexpr Cost several_lanes[2][3] = {{{2.8, 0.15, 8.5}, {3, 0.105, 4}, {12, 0.107, 4.5}},
                                      {{3, 0.5, 11}, {6, 0.2, 5.8}, {15, 0.2, 7}}};

template <typename T>
double cost(Index samples, const std::array<Index, 3>& grid, int dims, int width, Index batch) {
  const Cost& c = (batch > 1 ? several_lanes : one_lane)[sizeof(T) == 8][dims - 1];
  double cells = 1, cell = c.cell;
  for (int a = 0; a < dims; ++a) cells *= static_cast<double>(grid[a]);
  // One lane is spread into copies of tiles and their neighbourhoods, which are added to the grid.
  if (batch <= 1) cell += 0.5 * std::pow(1 + (width - 1) / static_cast<double>(tile_cells[dims - 1]), dims);
  return static_cast<double>(samples) * (c.point + c.touched * std::pow(width, dims)) + cells * cell;
}

}  // namespace

template <typename T>
CpuPlan<T>::CpuPlan(View<const double> trajectory, const Shape& image, const PlanOptions& options,
                    Context& ctx)
    : dims_(image.rank()), pixels_(image.size()) {
  const Index samples = options.samples > 0 ? options.samples : trajectory.shape()[0];
  const auto choice =
      choose_grid<T>(image, options, {fast_fft_size, [&](const std::array<Index, 3>& grid, int width) {
                                        return cost<T>(samples, grid, dims_, width, options.batch);
                                      }});
  oversampling_ = choice.oversampling;
  for (int a = 0; a < dims_; ++a) {
    axis_[a].image = image[dims_ - 1 - a];
    axis_[a].grid = choice.grid[a];
    axis_[a].deapodise = choice.deapodisation(axis_[a].image, a, ctx);
  }
  for (int i = 0; i < 3; ++i) {
    const int lanes = i == 0 ? 1 : i == 1 ? 4 : 8;
    if (!lanes_used<T>(lanes, options.batch)) continue;
    if (dims_ == 1 && lanes == 1 && options.real_samples)
      real_line_ = RealLine<T>(axis_[0].image, axis_[0].grid);
    if (dims_ == 1 && lanes == 1 && LongLine<T>::wanted(axis_[0].grid)) {
      long_line_ = LongLine<T>(axis_[0].image, axis_[0].grid);
      continue;
    }
    auto& p = passes_[i];
    const auto line = [](const Axis& axis, Index inner) {
      return LinePass<T>(axis.grid, axis.image - axis.image / 2, axis.image / 2, inner);
    };
    p.x = line(axis_[0], lanes);
    if (dims_ > 1) p.y = line(axis_[1], axis_[0].grid * lanes);
    if (dims_ > 2) p.z = line(axis_[2], axis_[1].grid * axis_[0].grid * lanes);
  }
  gridding_ = CpuGridding<T>(trajectory, choice.grid, choice.kernel, options.batch, ctx);
}

template <typename T>
std::size_t CpuPlan<T>::table_bytes() const {
  std::size_t bytes = gridding_.table_bytes();
  for (const Axis& axis : axis_) bytes += axis.deapodise.view().bytes();
  return bytes;
}

#define LARMOR_INSTANTIATE(T)                                                                   \
  template CpuPlan<T>::CpuPlan(View<const double>, const Shape&, const PlanOptions&, Context&); \
  template std::size_t CpuPlan<T>::table_bytes() const;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
