#include <larmor/core/error.hpp>
#include <larmor/operators/nufft/grid_choice.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

namespace larmor::nufft {
namespace {

// Rounding in the sums and transforms, relative: what remains when aliasing is made small.
template <typename T>
constexpr double rounding_floor = sizeof(T) == 4 ? 4e-7 : 2e-14;

// Every plan asks for the same few estimates: they are computed once in the life of the process.
double remembered_aliasing(int width, double oversampling) {
  static std::mutex mutex;
  static std::map<std::pair<int, double>, double> known;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace({width, oversampling}, 0.0);
  if (is_new) entry->second = estimated_aliasing(width, oversampling);
  return entry->second;
}

template <typename T>
std::shared_ptr<const FittedKernel<T>> fitted_kernel(int width, double oversampling) {
  static std::mutex mutex;
  static std::map<std::pair<int, double>, std::shared_ptr<const FittedKernel<T>>> known;
  const std::lock_guard lock(mutex);
  auto& entry = known[{width, oversampling}];
  if (!entry) {
    const Kernel kernel(width, oversampling);
    // Deapodisation amplifies errors of the polynomials towards the image's edge.
    const double edge = kernel.transform(0.5 / oversampling) / kernel.transform(0);
    const double accuracy = 0.1 * kernel.aliasing_error(oversampling) * edge;
    entry = std::make_shared<const FittedKernel<T>>(
        FittedKernel<T>{kernel, fit<T>(kernel, std::max(accuracy, sizeof(T) == 4 ? 2e-8 : 1e-14))});
  }
  return entry;
}

}  // namespace

template <typename T>
std::vector<T> GridChoice<T>::deapodisation(Index image, int axis) const {
  std::vector<T> factors(static_cast<std::size_t>(image));
  for (Index pixel = 0; pixel < image; ++pixel)
    factors[static_cast<std::size_t>(pixel)] =
        static_cast<T>(1 / kernel->kernel.transform(static_cast<double>(pixel - image / 2) /
                                                    static_cast<double>(grid[axis])));
  return factors;
}

template <typename T>
GridChoice<T> choose_grid(const Shape& image, const PlanOptions& options, const GridCosts& costs) {
  const int dims = image.rank();
  const double tolerance = options.tolerance;
  if (!(tolerance > 0) || !(tolerance < 1))
    throw usage_error("NUFFT tolerance must lie between 0 and 1, got {}", tolerance);
  const double wanted = options.oversampling;
  if (wanted != 0 && !(wanted >= 1.15 && wanted <= 2.5))
    throw usage_error("NUFFT oversampling must lie between 1.15 and 2.5, got {}", wanted);
  const double floor = rounding_floor<T>;
  // Errors of the axes and of rounding add in squares. The estimate is a mean over images and positions;
  // points that lie close together, or few of them, can see more, the more so the fewer axes average.
  const double reserve = dims == 1 ? 2.8 : dims == 2 ? 1.8 : 1.6;
  const double aliasing_allowed =
      std::sqrt(std::max(tolerance * tolerance - floor * floor, 0.0) / static_cast<double>(dims)) / reserve;

  GridChoice<T> choice;
  double best_cost = std::numeric_limits<double>::infinity(), best_error = best_cost;
  int best_width = 0;
  for (int step = 0; step <= 8; ++step) {
    const double target = wanted != 0 ? wanted : 1.25 + 0.125 * step;
    std::array<Index, 3> grid{1, 1, 1};
    double oversampling = std::numeric_limits<double>::infinity();
    for (int a = 0; a < dims; ++a) {
      const Index pixels = image[dims - 1 - a];
      const auto size = static_cast<Index>(std::ceil(target * static_cast<double>(pixels)));
      grid[a] = costs.fast_length(std::max<Index>(size, 2 * max_width<T>));
      oversampling = std::min(oversampling, static_cast<double>(grid[a]) / static_cast<double>(pixels));
    }
    for (int width = min_width; width <= max_width<T>; ++width) {
      const double error = remembered_aliasing(width, oversampling);
      best_error = std::min(best_error, std::sqrt(reserve * reserve * dims * error * error + floor * floor));
      if (error > aliasing_allowed) continue;
      const double cost =
          options.small_grid ? static_cast<double>(grid[0] * grid[1] * grid[2]) : costs.cost(grid, width);
      if (cost < best_cost) {
        best_cost = cost;
        best_width = width;
        choice.oversampling = oversampling;
        choice.grid = grid;
      }
      break;
    }
    if (wanted != 0) break;
  }
  if (best_width == 0)
    throw usage_error(
        "NUFFT tolerance {:.1e} is out of reach in {} precision{} for an image of shape {}: the best is "
        "{:.1e}",
        tolerance, sizeof(T) == 4 ? "single" : "double",
        wanted != 0 ? fmt::format(" at oversampling {}", wanted) : std::string(), image.to_string(),
        best_error);
  choice.kernel = fitted_kernel<T>(best_width, choice.oversampling);
  return choice;
}

#define LARMOR_INSTANTIATE(T)    \
  template struct GridChoice<T>; \
  template GridChoice<T> choose_grid<T>(const Shape&, const PlanOptions&, const GridCosts&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
