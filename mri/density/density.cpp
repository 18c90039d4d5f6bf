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

// The samples of one partition of a stack, and for each sample the one in the same place of the plane.
struct Partition {
  Array<double> plane;            // [samples, 2]
  std::vector<Index> same_place;  // empty: the trajectory is no complete stack
};

// A stack is complete if its partitions fill the period of `partitions` pixels along z and all have samples
// at the same places, listed in the same order. Positions may differ by a thousandth of a sample's distance.
Partition partition_of(View<const double> trajectory, const Shape& image_shape, Context& ctx) {
  if (image_shape.rank() != 3) return {};
  const Index samples = trajectory.shape()[0], partitions = image_shape[0], in_plane = samples / partitions;
  if (in_plane == 0 || in_plane * partitions != samples) return {};
  constexpr double most = 1e-3;
  const auto of_position = [&](double kz) { return kz * static_cast<double>(partitions); };
  const auto between = [&](double position) { return std::abs(position - std::round(position)) > most; };
  // The first samples show that most trajectories are no stacks.
  const auto first = copied_to(Device::cpu(), trajectory.slices(0, std::min<Index>(samples, 4096)));
  const double origin = of_position(first[2]);
  for (Index j = 0; j < first.shape()[0]; ++j)
    if (between(of_position(first[3 * j + 2]) - origin)) return {};

  Array<double> copy;
  if (trajectory.device() != Device::cpu()) trajectory = copy = copied_to(Device::cpu(), trajectory);
  std::vector<double> places;
  std::vector<Index> found(static_cast<std::size_t>(partitions)),
      same_place(static_cast<std::size_t>(samples));
  places.reserve(static_cast<std::size_t>(2 * in_plane));
  for (Index j = 0; j < samples; ++j) {
    if (j % 65536 == 0) ctx.throw_if_cancelled();
    const double* const k = &trajectory[3 * j];
    const double position = of_position(k[2]) - origin;
    if (!(std::abs(position) < 1e15) || between(position)) return {};
    const auto partition = static_cast<Index>(std::llround(position)) % partitions;
    const Index place = found[static_cast<std::size_t>((partition + partitions) % partitions)]++;
    if (place == in_plane) return {};
    const auto at = static_cast<std::size_t>(2 * place);
    if (at == places.size()) places.insert(places.end(), {k[0], k[1]});
    for (std::size_t axis = 0; axis < 2; ++axis)
      if (!(std::abs(k[axis] - places[at + axis]) *
                static_cast<double>(image_shape[2 - static_cast<int>(axis)]) <=
            most))
        return {};
    same_place[static_cast<std::size_t>(j)] = place;
  }
  Partition partition{Array<double>({in_plane, 2}), std::move(same_place)};
  std::copy(places.begin(), places.end(), partition.plane.begin());
  return partition;
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
  // The partitions of a complete stack have the same weights, if Ψ is zero at the other partitions.
  if (image_shape.rank() == 3 &&
      0.75 * static_cast<double>(field_of_view[0]) <= static_cast<double>(image_shape[0]))
    if (const Partition partition = partition_of(trajectory, image_shape, ctx);
        !partition.same_place.empty()) {
      PipeMenonOptions of_plane = options;
      of_plane.field_of_view = field_of_view.drop_front(1);
      const auto plane = moved_to(ctx.device(), clone(partition.plane));
      const auto weights = pipe_menon(plane, image_shape.drop_front(1), of_plane, ctx);
      Array<double> density({samples});
      for (Index j = 0; j < samples; ++j)
        density[j] = weights[partition.same_place[static_cast<std::size_t>(j)]];
      return density;
    }
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
