#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/kernel/grid_choice.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numbers>
#include <tuple>

namespace LARMOR_API larmor {
namespace nufft {
namespace {

// Relative rounding error of sums and transforms, which remains when aliasing is small. Measured for
// oversampling 1.15 … 2.5. Deapodisation amplifies it; in several dimensions by less than the product of the
// axes' factors, because interpolation averages.
template <typename T>
double rounding(const GriddingError& error, int dims) {
  constexpr double power[] = {1, 1.55, 1.8};
  return (sizeof(T) == 4 ? 1.5e-7 : 1e-14) * std::pow(error.amplification, power[dims - 1]);
}

// The same for points clustered in a few cells, whose sums round each cell separately: here the product of
// the axes' factors applies.
template <typename T>
double rounding_of_crowds(const GriddingError& error, int dims) {
  constexpr double roundings[] = {0, 2.7, 1.2};
  return roundings[dims - 1] * 0.5 * std::numeric_limits<T>::epsilon() * std::pow(error.amplification, dims);
}

using KernelKey = std::pair<int, double>;  // width, oversampling

// Bounds a cache: a program that runs for a long time may use many different lengths.
template <typename Known>
void forget_if_many(Known& known) {
  constexpr std::size_t most = 4096;
  if (known.size() >= most) known.clear();
}

}  // namespace

GriddingError gridding_error(int width, double oversampling) {
  static std::mutex mutex;
  static std::map<KernelKey, GriddingError> known;
  const std::lock_guard lock(mutex);
  forget_if_many(known);
  const auto [entry, is_new] = known.try_emplace({width, oversampling}, GriddingError{});
  if (is_new) entry->second = Kernel(width, oversampling).error(oversampling);
  return entry->second;
}

template <typename T>
std::shared_ptr<const FittedKernel<T>> fitted_kernel(int width, double oversampling) {
  static std::mutex mutex;
  static std::map<KernelKey, std::shared_ptr<const FittedKernel<T>>> known;
  const std::lock_guard lock(mutex);
  forget_if_many(known);
  auto& entry = known[{width, oversampling}];
  if (!entry) {
    const Kernel kernel(width, oversampling);
    // Deapodisation amplifies the polynomials' errors towards the edge of the image.
    const double edge = kernel.transform(0.5 / oversampling) / kernel.transform(0);
    const GriddingError error = kernel.error(oversampling);
    const double accuracy = std::max(0.1 * error.mean * edge, sizeof(T) == 4 ? 2e-8 : 1e-14);
    entry = std::make_shared<const FittedKernel<T>>(
        FittedKernel<T>{kernel, fit<T>(kernel, accuracy), error.amplification});
  }
  return entry;
}

template <typename T>
ChebyshevSeries GridChoice<T>::transform(Index image, int axis) const {
  const Kernel& of = kernel->kernel;
  const double highest = static_cast<double>(std::max<Index>(image / 2, 1)) / static_cast<double>(grid[axis]);
  static std::mutex mutex;
  static std::map<std::tuple<int, double, double>, ChebyshevSeries> known;
  const std::lock_guard lock(mutex);
  forget_if_many(known);
  const auto [entry, is_new] = known.try_emplace({of.width(), of.beta(), highest}, ChebyshevSeries{});
  if (is_new) entry->second = kernel_transform(of, highest);
  return entry->second;
}

template <typename T>
Array<T> GridChoice<T>::deapodisation(Index image, int axis, const Context& ctx) const {
  Array<T> factors({image});
  const double step = 1 / static_cast<double>(grid[axis]);
  const ChebyshevSeries series = transform(image, axis);
  constexpr Index together = 8, grain = 1024;
  // Computes the pixels on both sides of the centre together.
  parallel_for(ctx, image / 2 + 1, grain, [&](Index begin, Index end, int) {
    for (Index first = begin; first < end; first += together) {
      double frequency[together], value[together];
      for (Index i = 0; i < together; ++i)
        frequency[i] = static_cast<double>(std::min(first + i, image / 2)) * step;
      series.evaluate<together>(frequency, value);
      for (double& each : value) each = 1 / each;
      for (Index i = 0; i < together && first + i < end; ++i) {
        const Index offset = first + i;
        factors[image / 2 - offset] = static_cast<T>(value[i]);
        if (image / 2 + offset < image) factors[image / 2 + offset] = static_cast<T>(value[i]);
      }
    }
  });
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
  // Errors of the axes and of rounding add in squares. The estimate is a mean over images and positions;
  // clustered points, or few points, can have larger errors, especially in few dimensions. In one dimension
  // even an image with a single pixel at the edge must meet the tolerance. A requested oversampling is not
  // refused because points might be clustered.
  const auto expected_error = [&](const GriddingError& error) {
    constexpr double reserve[] = {2.8, 1.8, 1.6};
    const double crowds = wanted != 0 ? 0 : rounding_of_crowds<T>(error, dims);
    double sum = std::pow(std::max(rounding<T>(error, dims), crowds), 2);
    for (int a = 0; a < dims; ++a) sum += std::pow(reserve[dims - 1] * error.of_pixels(image[a]), 2);
    if (dims > 1) return std::sqrt(sum);
    const double rounded = rounding<T>(error, 1) * error.amplification_at_edge / error.amplification;
    return std::sqrt(std::max(sum, rounded * rounded + error.edge * error.edge));
  };

  GridChoice<T> choice;
  double best_cost = std::numeric_limits<double>::infinity(), best_error = best_cost;
  int best_width = 0, last_width = min_width;
  std::array<Index, 3> last_grid{};
  constexpr int steps = 54;  // 1.15 … 2.5
  for (int step = 0; step <= (wanted != 0 ? 0 : steps); ++step) {
    const double target = wanted != 0 ? wanted : 1.15 + 0.025 * step;
    std::array<Index, 3> grid{1, 1, 1};
    double oversampling = std::numeric_limits<double>::infinity();
    for (int a = 0; a < dims; ++a) {
      const Index pixels = image[dims - 1 - a];
      const auto size = static_cast<Index>(std::ceil(target * static_cast<double>(pixels) - 1e-6));
      grid[a] = costs.fast_length(std::max<Index>(size, 2 * max_width<T>));
      oversampling = std::min(oversampling, static_cast<double>(grid[a]) / static_cast<double>(pixels));
    }
    if (grid == last_grid) continue;
    last_grid = grid;
    const auto suffices = [&](int width) {
      const double error = expected_error(gridding_error(width, oversampling));
      best_error = std::min(best_error, error);
      return error <= tolerance;
    };
    // The narrowest kernel that suffices. The search starts at the width for the previous, smaller grid,
    // because a new kernel takes long to compute.
    int width = last_width;
    if (suffices(width))
      while (width > min_width && suffices(width - 1)) --width;
    else
      while (++width <= max_width<T> && !suffices(width)) continue;
    if (width > max_width<T>) continue;
    last_width = width;
    const double cost =
        options.small_grid ? static_cast<double>(grid[0] * grid[1] * grid[2]) : costs.cost(grid, width);
    if (cost >= best_cost) continue;
    best_cost = cost;
    best_width = width;
    choice.oversampling = oversampling;
    choice.grid = grid;
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

#define LARMOR_INSTANTIATE(T)                                                 \
  template struct GridChoice<T>;                                              \
  template std::shared_ptr<const FittedKernel<T>> fitted_kernel(int, double); \
  template GridChoice<T> choose_grid<T>(const Shape&, const PlanOptions&, const GridCosts&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace nufft
}  // namespace larmor
