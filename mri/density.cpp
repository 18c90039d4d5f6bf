#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/cuda/density.hpp>
#include <larmor/mri/density.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace larmor {
namespace {

using Complex = std::complex<float>;
using std::numbers::pi;

void require_trajectory(const char* name, View<const double> trajectory, const Shape& image_shape) {
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != image_shape.rank())
    throw internal_error("{}: trajectory of shape {} for an image of shape {}", name,
                         trajectory.shape().to_string(), image_shape.to_string());
}

// Product of triangles 1 − |x| / reach over the axes.
Array<float> triangle_window(const Shape& shape, const std::array<double, 3>& reach) {
  Array<float> window(shape);
  for (Index p = 0; p < window.size(); ++p) {
    double value = 1;
    Index rest = p;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const double x = static_cast<double>(rest % shape[axis] - shape[axis] / 2);
      value *= std::max(0.0, 1 - std::abs(x) / reach[static_cast<std::size_t>(axis)]);
      rest /= shape[axis];
    }
    window[p] = static_cast<float>(value);
  }
  return window;
}

// A lone sample convolves to Σ window / pixels > 0; what is below a fraction of that is the transform's
// error.
constexpr double least_convolved = 1e-3;

// density_j /= what the samples around j add up to; the result becomes the next weights.
void divide_by_convolved(View<const Complex> convolved, double pixels, View<double> density,
                         View<Complex> weights, Context& ctx) {
  if constexpr (cuda::built)
    if (ctx.on_gpu())
      return cuda::divide_by_convolved(convolved.data(), pixels, least_convolved, density.data(),
                                       weights.data(), density.size(), ctx.stream());
  parallel_for(ctx, density.size(), 1 << 14, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) {
      density[j] /= std::max(static_cast<double>(convolved[j].real()) / pixels, least_convolved);
      weights[j] = static_cast<float>(density[j]);
    }
  });
}

}  // namespace

Array<double> pipe_menon(View<const double> trajectory, const Shape& image_shape,
                         const PipeMenonOptions& options, Context& ctx) {
  require_trajectory("pipe_menon", trajectory, image_shape);
  const Index samples = trajectory.shape()[0];
  if (options.iterations < 1)
    throw usage_error("Pipe-Menon with {} iterations, expected 1 or more", options.iterations);
  constexpr Index large_image = Index{1} << 22;
  const double fraction =
      options.kernel_reach > 0 ? options.kernel_reach : (image_shape.size() > large_image ? 0.5 : 0.75);
  Shape grid = image_shape;
  std::array<double, 3> reach{};
  for (int axis = 0; axis < image_shape.rank(); ++axis) {
    reach[static_cast<std::size_t>(axis)] = std::max(1.0, fraction * static_cast<double>(image_shape[axis]));
    grid[axis] = 2 * static_cast<Index>(std::ceil(reach[static_cast<std::size_t>(axis)]));
  }
  const auto window = triangle_window(grid, reach);
  const Nufft<float> transform(trajectory, grid, {.tolerance = options.nufft_tolerance, .scaled = false},
                               ctx);

  const Device device = ctx.device();
  const Diagonal<float> windowed(moved_to(device, converted<Complex>(window.view())));
  Array<Complex> weights({samples}, device), convolved({samples}, device), image(grid, device),
      masked(grid, device);
  fill<float>(weights, 1, ctx);
  Array<double> density = moved_to(device, filled<double>({samples}, 1.0));
  const double pixels = static_cast<double>(image_shape.size());
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    ctx.throw_if_cancelled();
    transform.adjoint(weights, image, ctx);
    windowed.apply(image, masked, ctx);
    transform.apply(masked, convolved, ctx);
    divide_by_convolved(convolved, pixels, density, weights, ctx);
  }
  return moved_to(Device::cpu(), std::move(density));
}

namespace {

// A straight readout through the centre of k-space: its direction and its samples' signed distances.
struct Spoke {
  std::array<double, 3> direction{};
  std::vector<double> radius;
};

Spoke fit_spoke(const double* k, Index samples, int dims, Index readout, double tolerance) {
  Spoke spoke;
  Index farthest = 0;
  double largest = 0;
  const auto norm = [&](const double* p) {
    double squares = 0;
    for (int axis = 0; axis < dims; ++axis) squares += p[axis] * p[axis];
    return std::sqrt(squares);
  };
  for (Index r = 0; r < samples; ++r)
    if (const double distance = norm(k + r * dims); distance > largest) {
      largest = distance;
      farthest = r;
    }
  if (!(largest > 0))
    throw input_error("radial density: readout {} never leaves the centre of k-space", readout);
  for (int axis = 0; axis < dims; ++axis)
    spoke.direction[static_cast<std::size_t>(axis)] = k[farthest * dims + axis] / largest;
  for (Index r = 0; r < samples; ++r) {
    double along = 0, off[3] = {0, 0, 0};
    for (int axis = 0; axis < dims; ++axis)
      along += k[r * dims + axis] * spoke.direction[static_cast<std::size_t>(axis)];
    for (int axis = 0; axis < dims; ++axis)
      off[axis] = k[r * dims + axis] - along * spoke.direction[static_cast<std::size_t>(axis)];
    if (norm(off) > tolerance)
      throw input_error(
          "radial density: sample {} of readout {} is {:.2g} cycles/pixel off a line through the centre; use "
          "--density pipe",
          r, readout, norm(off));
    spoke.radius.push_back(along);
  }
  return spoke;
}

// Cell borders half way to the neighbours along the readout. Ends reach as far outwards as inwards, but the
// end nearest to the centre never beyond it.
std::vector<std::pair<double, double>> radial_cells(const std::vector<double>& radius) {
  const auto n = static_cast<Index>(radius.size());
  std::vector<Index> order(radius.size());
  for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  const auto at = [&](Index i) {
    return radius[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return radius[static_cast<std::size_t>(a)] < radius[static_cast<std::size_t>(b)];
  });
  std::vector<std::pair<double, double>> cells(radius.size());
  for (Index i = 0; i < n; ++i) {
    double low = i > 0 ? 0.5 * (at(i - 1) + at(i)) : at(i) - (n > 1 ? 0.5 * (at(1) - at(0)) : 0.0);
    double high =
        i + 1 < n ? 0.5 * (at(i) + at(i + 1)) : at(i) + (n > 1 ? 0.5 * (at(n - 1) - at(n - 2)) : 0.0);
    if (i == 0 && at(0) > -1e-9) low = 0;
    if (i + 1 == n && at(n - 1) < 1e-9) high = 0;
    cells[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = {low, high};
  }
  return cells;
}

// ∫ r^(dims − 1) dr over the part of [low, high] on the positive side.
double ring(double low, double high, int dims) {
  const double from = std::max(0.0, low), to = std::max(from, high);
  return dims == 2 ? 0.5 * (to * to - from * from) : (to * to * to - from * from * from) / 3;
}

// Sectors in radians around directions in the plane: half way to the next different one on either side,
// divided among equal ones.
std::vector<double> sectors(const std::vector<double>& angles) {
  constexpr double same = 1e-6;
  std::vector<std::size_t> order(angles.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto wrapped = [&](std::size_t i) { return angles[i] - 2 * pi * std::floor(angles[i] / (2 * pi)); };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return wrapped(a) < wrapped(b); });

  struct Direction {
    double angle;
    Index count;
  };
  std::vector<Direction> directions;
  std::vector<std::size_t> direction_of(angles.size());
  for (const std::size_t i : order) {
    if (directions.empty() || wrapped(i) - directions.back().angle > same)
      directions.push_back({wrapped(i), 0});
    direction_of[i] = directions.size() - 1;
    ++directions.back().count;
  }
  if (directions.size() > 1 && directions.front().angle + 2 * pi - directions.back().angle < same) {
    for (auto& d : direction_of)
      if (d + 1 == directions.size()) d = 0;
    directions.front().count += directions.back().count;
    directions.pop_back();
  }
  const std::size_t n = directions.size();
  std::vector<double> result(angles.size());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const std::size_t d = direction_of[i];
    const double next = d + 1 < n ? directions[d + 1].angle : directions[0].angle + 2 * pi;
    const double previous = d > 0 ? directions[d - 1].angle : directions[n - 1].angle - 2 * pi;
    result[i] = 0.5 * (next - previous) / static_cast<double>(directions[d].count);
  }
  return result;
}

}  // namespace

Array<double> radial_density(View<const double> trajectory, Index samples_per_readout,
                             const Shape& image_shape, Context& ctx) {
  require_trajectory("radial_density", trajectory, image_shape);
  const int dims = image_shape.rank();
  const Index total = trajectory.shape()[0];
  if (dims != 2 && dims != 3) throw usage_error("radial density in {} dimensions, expected 2 or 3", dims);
  if (samples_per_readout < 1 || total % samples_per_readout != 0)
    throw internal_error("radial_density: {} samples are not whole readouts of {}", total,
                         samples_per_readout);
  const Index readouts = total / samples_per_readout;
  // A quarter of a k-space point off the line is more than rounding and less than what changes the weights.
  double tolerance = 0.25;
  for (Index extent : image_shape) tolerance = std::min(tolerance, 0.25 / static_cast<double>(extent));

  std::vector<Spoke> spokes(static_cast<std::size_t>(readouts));
  for (Index s = 0; s < readouts; ++s)
    spokes[static_cast<std::size_t>(s)] = fit_spoke(trajectory.data() + s * samples_per_readout * dims,
                                                    samples_per_readout, dims, s, tolerance);
  // A full spoke covers two directions: along it and against it.
  std::vector<double> angles;
  std::vector<std::array<std::size_t, 2>> half_of(spokes.size());
  for (std::size_t s = 0; s < spokes.size(); ++s) {
    const auto& radius = spokes[s].radius;
    const double angle = std::atan2(spokes[s].direction[1], spokes[s].direction[0]);
    const bool full = *std::min_element(radius.begin(), radius.end()) < -1e-9;
    half_of[s] = {angles.size(), full ? angles.size() + 1 : angles.size()};
    angles.push_back(angle);
    if (full) angles.push_back(angle + pi);
  }
  std::vector<double> sector(angles.size(), 4 * pi / static_cast<double>(angles.size()));
  if (dims == 2) sector = sectors(angles);

  Array<double> density({total});
  const double pixels = static_cast<double>(image_shape.size());
  parallel_for(ctx, readouts, 16, [&](Index begin, Index end, int) {
    for (Index s = begin; s < end; ++s) {
      const auto cells = radial_cells(spokes[static_cast<std::size_t>(s)].radius);
      const auto [along, against] = half_of[static_cast<std::size_t>(s)];
      for (Index r = 0; r < samples_per_readout; ++r) {
        const auto [low, high] = cells[static_cast<std::size_t>(r)];
        density[s * samples_per_readout + r] =
            pixels * (ring(low, high, dims) * sector[along] + ring(-high, -low, dims) * sector[against]);
      }
    }
  });
  return density;
}

}  // namespace larmor
