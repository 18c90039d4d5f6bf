#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/mri/density/density.hpp>
#include <larmor/mri/density/density_kernels.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace larmor {
namespace {

using Complex = std::complex<float>;

void require_trajectory(const char* name, View<const double> trajectory, const Shape& image_shape) {
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != image_shape.rank())
    throw usage_error("{}: trajectory of shape {} for an image of shape {}", name,
                      trajectory.shape().to_string(), image_shape.to_string());
}

// Product of triangles 1 − |x| / reach over the axes.
Array<Complex> triangle_window(const Shape& shape, const std::array<double, 3>& reach, Context& ctx) {
  const auto triangle = [&](int axis, Index pixel) {
    const double x = static_cast<double>(pixel - shape[axis] / 2);
    return std::max(0.0, 1 - std::abs(x) / reach[static_cast<std::size_t>(axis)]);
  };
  const int last = shape.rank() - 1;
  const Index width = shape[last];
  Array<Complex> window(shape);
  parallel_for(ctx, window.size() / width, 64, [&](Index begin, Index end, int) {
    for (Index row = begin; row < end; ++row) {
      double along_row = 1;
      Index rest = row;
      for (int axis = last - 1; axis >= 0; rest /= shape[axis--])
        along_row *= triangle(axis, rest % shape[axis]);
      for (Index x = 0; x < width; ++x)
        window[row * width + x] = Complex(static_cast<float>(triangle(last, x) * along_row));
    }
  });
  return window;
}

// The plain iteration removes an error completely if it is as smooth as Ψ is wide, and a coarser one only
// slowly. With a power p of the divisor the remaining part of a relative error is 1 − pλ, λ = 0 … 1: this
// cycle leaves at most a third for λ > 0.2, as eight plain steps do, and ends with plain ones.
constexpr std::array<double, 4> cycle{1, 3, 1.5, 1};

double power_of(int iteration, int iterations) {
  constexpr int length = static_cast<int>(cycle.size());
  return iteration < iterations / length * length ? cycle[static_cast<std::size_t>(iteration % length)] : 1.0;
}

}  // namespace

Array<double> pipe_menon(View<const double> trajectory, const Shape& image_shape,
                         const PipeMenonOptions& options, Context& ctx) {
  require_trajectory("pipe_menon", trajectory, image_shape);
  const Index samples = trajectory.shape()[0];
  if (options.iterations < 1)
    throw usage_error("Pipe-Menon with {} iterations, expected 1 or more", options.iterations);
  const Shape field_of_view = options.field_of_view.rank() > 0 ? options.field_of_view : image_shape;
  if (field_of_view.rank() != image_shape.rank())
    throw usage_error("pipe_menon: field of view {} for an image of shape {}", field_of_view.to_string(),
                      image_shape.to_string());
  // The convolution kernel is the transform of a triangle with this half-width relative to the field of view,
  // per axis; the smaller one needs a quarter or less of the memory.
  constexpr Index large_image = Index{1} << 22;
  const double fraction = image_shape.size() > large_image ? 0.5 : 0.75;
  Shape grid = image_shape;
  std::array<double, 3> reach{};
  for (int axis = 0; axis < image_shape.rank(); ++axis) {
    reach[static_cast<std::size_t>(axis)] =
        std::max(1.0, fraction * static_cast<double>(field_of_view[axis]));
    grid[axis] = 2 * static_cast<Index>(std::ceil(reach[static_cast<std::size_t>(axis)]));
  }
  const Nufft<float> transform(trajectory, grid, {.tolerance = options.nufft_tolerance, .scaled = false},
                               ctx);

  const Device device = ctx.device();
  const Diagonal<float> windowed(moved_to(device, triangle_window(grid, reach, ctx)));
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
    for_each(
        ctx, samples,
        DivideByConvolved{complex_values(convolved.data()), pixels, power_of(iteration, options.iterations),
                          density.data(), complex_values(weights.data())});
  }
  return moved_to(Device::cpu(), std::move(density));
}

}  // namespace larmor
