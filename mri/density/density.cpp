#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/mri/density/density.hpp>
#include <larmor/mri/density/density_kernels.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

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

// One partition of a stack. Samples come in runs of one partition; runs in the same place of different
// partitions have the same samples.
struct Partition {
  Index run = 0;                       // samples; 0: the trajectory is no complete stack
  std::vector<Index> place, of_place;  // of each run; the first run of each place
};

// A stack whose partitions have the period of the image along z is complete if all of them have samples at
// the same positions, listed in the same order. Positions may differ by `most` sample distances.
Partition partition_of(View<const double> k, const Shape& image_shape, double most, const Context& ctx) {
  const Index samples = k.shape()[0], partitions = image_shape[0], in_plane = samples / partitions;
  if (in_plane * partitions != samples) return {};
  const auto number = [&](Index j) {
    const Index frequency = std::lround(k[3 * j + 2] * static_cast<double>(partitions));
    return (frequency % partitions + partitions) % partitions;
  };
  Index run = 1;
  while (run < in_plane && number(run) == number(0)) ++run;
  run = std::gcd(run, in_plane);

  Partition partition{run, {}, {}};
  std::vector<Index> found(static_cast<std::size_t>(partitions));
  for (Index first = 0; first < samples; first += run) {
    const Index place = found[static_cast<std::size_t>(number(first))]++;
    if (place * run == in_plane) return {};
    if (place == std::ssize(partition.of_place)) partition.of_place.push_back(first / run);
    partition.place.push_back(place);
  }

  std::atomic<bool> same = true;
  parallel_for(ctx, std::ssize(partition.place), 64, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end && same; ++i) {
      const Index place = partition.place[static_cast<std::size_t>(i)],
                  other = partition.of_place[static_cast<std::size_t>(place)];
      for (Index j = 0; j < run; ++j) {
        const double *const here = &k[3 * (i * run + j)], *const there = &k[3 * (other * run + j)];
        bool equal = number(i * run + j) == number(i * run);
        for (int axis = 0; axis < 2; ++axis)
          equal = equal &&
                  std::abs(here[axis] - there[axis]) * static_cast<double>(image_shape[2 - axis]) <= most;
        if (!equal) same = false;
      }
    }
  });
  return same ? partition : Partition{};
}

// The weights of a complete stack are those of its plane; empty if the trajectory is no such stack.
Array<double> density_of_stack(View<const double> trajectory, const Shape& image_shape,
                               const PipeMenonOptions& options, Context& ctx) {
  if (nufft::periods_of(trajectory, image_shape, options.nufft_tolerance, ctx)[2] == 0) return {};
  Array<double> copy;
  if (trajectory.device() != Device::cpu()) trajectory = copy = copied_to(Device::cpu(), trajectory);
  const Context host = ctx.host();
  const Partition partition = partition_of(trajectory, image_shape, options.nufft_tolerance, host);
  if (partition.run == 0) return {};
  const Index run = partition.run;
  std::vector<double> plane;
  for (const Index first : partition.of_place)
    for (Index j = first * run; j < (first + 1) * run; ++j)
      plane.insert(plane.end(), &trajectory[3 * j], &trajectory[3 * j + 2]);
  const View<const double> points(plane, {std::ssize(plane) / 2, 2});
  PipeMenonOptions of_plane = options;
  if (options.field_of_view.rank() > 0) of_plane.field_of_view = options.field_of_view.drop_front(1);
  const auto weights = pipe_menon(copied_to(ctx.device(), points), image_shape.drop_front(1), of_plane, ctx);
  Array<double> density({trajectory.shape()[0]});
  parallel_for(host, std::ssize(partition.place), 64, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i)
      std::copy_n(&weights[partition.place[static_cast<std::size_t>(i)] * run], run, &density[i * run]);
  });
  return density;
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
  // If Ψ is zero at the distances of partitions, a complete stack has the weights of its plane.
  if (image_shape.rank() == 3 && 3 * field_of_view[0] <= 4 * image_shape[0])
    if (auto density = density_of_stack(trajectory, image_shape, options, ctx); !density.empty())
      return density;
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
