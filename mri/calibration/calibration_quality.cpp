#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/calibration/calibration_quality.hpp>
#include <larmor/mri/coils/central_part.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numbers>
#include <vector>

namespace larmor {
namespace {

using Complex = std::complex<float>;

constexpr double hole_radius = 0.8;
constexpr Index iterations = 10;

}  // namespace

Index sampled_centre(View<const double> trajectory, const Shape& image_shape, Index most, Context& ctx) {
  const Index dims = image_shape.rank(), samples = trajectory.shape()[0];
  // Positions of a raster of half a point, those that have a sample nearby.
  const Index extent = 2 * most + 1, planes = dims == 3 ? extent : 1;
  std::vector<char> near(static_cast<std::size_t>(planes * extent * extent), 0);
  const auto position = [&](Index place) { return 0.5 * static_cast<double>(place - most); };
  const auto place_of = [&](Index x, Index y, Index z) {
    return static_cast<std::size_t>(((dims == 3 ? z : 0) * extent + y) * extent + x);
  };
  parallel_for(ctx.host(), samples, 8192, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) {
      std::array<double, 3> k{};
      std::array<Index, 3> first{most, most, most}, last = first;
      for (Index axis = 0; axis < dims; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        k[a] =
            trajectory[j * dims + axis] * static_cast<double>(image_shape[static_cast<int>(dims - 1 - axis)]);
        const double beyond = static_cast<double>(most), at = std::clamp(k[a], -beyond, beyond);
        first[a] = std::max<Index>(0, static_cast<Index>(std::ceil(2 * (at - hole_radius))) + most);
        last[a] = std::min(extent - 1, static_cast<Index>(std::floor(2 * (at + hole_radius))) + most);
      }
      for (Index z = first[2]; z <= last[2]; ++z)
        for (Index y = first[1]; y <= last[1]; ++y)
          for (Index x = first[0]; x <= last[0]; ++x) {
            const double dx = k[0] - position(x), dy = k[1] - position(y), dz = k[2] - position(z);
            if (dx * dx + dy * dy + dz * dz < hole_radius * hole_radius)
              std::atomic_ref(near[place_of(x, y, z)]).store(1, std::memory_order_relaxed);
          }
    }
  });
  // Within the ball inscribed in the centre: the nearest hole.
  double nearest = 0.5 * static_cast<double>(most) + 0.5;
  for (Index z = dims == 3 ? 0 : most; z <= (dims == 3 ? extent - 1 : most); ++z)
    for (Index y = 0; y < extent; ++y)
      for (Index x = 0; x < extent; ++x) {
        const double radius = std::hypot(position(x), position(y), position(z));
        if (radius < nearest && radius <= 0.5 * static_cast<double>(most) && near[place_of(x, y, z)] == 0)
          nearest = radius;
      }
  return std::min(most, static_cast<Index>(std::floor(2 * nearest)));
}

double strongest_copy(View<const double> trajectory, const Shape& image_shape, Index size, Context& ctx,
                      View<const std::complex<double>> factors) {
  const int dims = image_shape.rank();
  Context host = ctx.host();
  // Displacements in steps of half a resolved pixel: `size` points span the field of view in 2 size steps.
  Shape steps = image_shape;
  PerAxis scale{}, limit{};
  for (int axis = 0; axis < dims; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    steps[axis] = 2 * size;
    scale[at] = static_cast<double>(image_shape[dims - 1 - axis]) / static_cast<double>(2 * size);
    limit[at] = 0.25;
  }
  auto ones = filled(Shape{1, trajectory.shape()[0]}, Complex(1));
  for (Index j = 0; j < factors.size(); ++j) ones[j] = Complex(factors[j]);
  const auto [k, inside] = central_part(trajectory, ones, scale, limit, host);
  if (inside.empty()) return 0;
  const Array<Complex> sums =
      Nufft<float>(k, steps, {.tolerance = 1e-3}, host).adjoint(inside.view().slice(0), host);
  const Index middle = size, near = factors.size() > 0 ? 0 : size / 4;  // an eighth of the field of view
  // The transform has a factor 1/√N.
  double object = static_cast<double>(inside.size()) / std::sqrt(static_cast<double>(steps.size())), copy = 0;
  for (Index p = 0; p < sums.size(); ++p) {
    Index rest = p, farthest = 0;
    for (int axis = dims; axis-- > 0; rest /= steps[axis])
      farthest = std::max(farthest, std::abs(rest % steps[axis] - middle));
    const double strength = std::abs(std::complex<double>(sums[p]));
    if (farthest >= near) copy = std::max(copy, strength);
  }
  return object > 0 ? copy / object : 0;
}

double unexplained_energy(View<const double> trajectory, View<const Complex> samples,
                          View<const Complex> maps, Index size, Context& ctx) {
  const int dims = maps.shape().rank() - 1;
  const Shape image = maps.shape().drop_front(1);
  const Index coils = maps.shape()[0];
  Context host = ctx.host();
  const LowResolution centre =
      low_resolution(trajectory, samples, image, size, *std::min_element(image.begin(), image.end()), host);
  const Shape& low = centre.grid;
  const auto& [k, y] = centre.part;
  if (y.empty()) return 1;
  // Maps are smooth, so the nearest pixel's values suffice.
  Array<Complex> low_maps(low.prepend(coils));
  for (Index p = 0; p < low.size(); ++p) {
    Index rest = p, nearest = 0, stride = 1;
    for (int axis = dims - 1; axis >= 0; --axis) {
      const auto moved = static_cast<Index>(
          std::lround(static_cast<double>((rest % low[axis] - low[axis] / 2) * image[axis]) /
                      static_cast<double>(low[axis])));
      nearest += std::clamp<Index>(moved + image[axis] / 2, 0, image[axis] - 1) * stride;
      stride *= image[axis];
      rest /= low[axis];
    }
    for (Index c = 0; c < coils; ++c) low_maps[c * low.size() + p] = maps[c * image.size() + nearest];
  }
  const auto A =
      Nufft<float>(k, low, {.tolerance = 1e-3, .batch = coils}, host) * CoilMaps<float>(std::move(low_maps));
  const auto x = conjugate_gradient<float>(A, y, {}, {.iterations = iterations}, host).x;
  const auto predicted = A.apply(x, host);
  double energy = 0, left = 0;
  for (Index i = 0; i < y.size(); ++i) {
    energy += std::norm(std::complex<double>(y[i]));
    left += std::norm(std::complex<double>(y[i]) - std::complex<double>(predicted[i]));
  }
  return energy > 0 ? left / energy : 1;
}

double noise_of_a_point(View<const double> trajectory, View<const Complex> samples, const Shape& image_shape,
                        Index size) {
  const int dims = image_shape.rank();
  const Index count = samples.shape()[1], coils = samples.shape()[0];
  const double points = static_cast<double>(size);
  double energy = 0, inside = 0;
  for (Index j = 0; j < count; ++j) {
    double square = 0;
    for (int axis = 0; axis < dims; ++axis)
      square += std::pow(trajectory[j * dims + axis] * static_cast<double>(image_shape[dims - 1 - axis]), 2);
    if (4 * square > points * points) continue;
    inside += 1;
    for (Index c = 0; c < coils; ++c) energy += std::norm(std::complex<double>(samples[c * count + j]));
  }
  if (!(energy > 0)) return 1;
  const double ball =
      dims == 2 ? std::numbers::pi / 4 * points * points : std::numbers::pi / 6 * points * points * points;
  return static_cast<double>(coils) * inside / energy / std::max(1.0, inside / ball);
}

}  // namespace larmor
