#include <larmor/operators/nufft/cpu_plan.hpp>

#include <cmath>

namespace larmor::nufft {
namespace {

// Nanoseconds of one core for spreading (per lane) and transforming, as measured with 8 float lanes; only the
// ratio of the two decides.
double cost(Index samples, const std::array<Index, 3>& grid, int dims, int width) {
  double cells = 1;
  for (int a = 0; a < dims; ++a) cells *= static_cast<double>(grid[a]);
  const double touched = std::pow(width, dims);
  const double fft = cells * (0.5 + 0.12 * std::log2(cells)) * (dims == 3 ? 1.5 : 1);
  return static_cast<double>(samples) * (4 + 0.25 * touched) + fft;
}

}  // namespace

template <typename T>
CpuPlan<T>::CpuPlan(View<const double> trajectory, const Shape& image, const PlanOptions& options,
                    Context& ctx)
    : dims_(image.rank()), pixels_(image.size()) {
  const Index samples = options.samples > 0 ? options.samples : trajectory.shape()[0];
  const auto choice =
      choose_grid<T>(image, options, {fast_fft_size, [&](const std::array<Index, 3>& grid, int width) {
                                        return cost(samples, grid, dims_, width);
                                      }});
  oversampling_ = choice.oversampling;
  for (int a = 0; a < dims_; ++a) {
    axis_[a].image = image[dims_ - 1 - a];
    axis_[a].grid = choice.grid[a];
    axis_[a].deapodise = choice.deapodisation(axis_[a].image, a);
  }
  for (int i = 0; i < 3; ++i) {
    const int lanes = i == 0 ? 1 : i == 1 ? 4 : 8;
    if (!lanes_used<T>(lanes, options.batch)) continue;
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

#define LARMOR_INSTANTIATE(T) \
  template CpuPlan<T>::CpuPlan(View<const double>, const Shape&, const PlanOptions&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
