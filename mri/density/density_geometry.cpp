#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/density/density_geometry.hpp>
#include <larmor/mri/density/voronoi.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

// Density weights from geometry alone: areas of ring sectors and of Voronoi cells, and stacks of them.
namespace larmor {
namespace {

using std::numbers::pi;

void require_plane_or_volume(const char* name, View<const double> trajectory, const Shape& image_shape) {
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != image_shape.rank())
    throw usage_error("{} density: trajectory of shape {} for an image of shape {}", name,
                      trajectory.shape().to_string(), image_shape.to_string());
  if (image_shape.rank() != 2 && image_shape.rank() != 3)
    throw usage_error("{} density in {} dimensions, expected 2 or 3", name, image_shape.rank());
}

Index whole_readouts(const char* name, View<const double> trajectory, Index samples_per_readout,
                     const Shape& image_shape) {
  require_plane_or_volume(name, trajectory, image_shape);
  const Index total = trajectory.shape()[0];
  if (samples_per_readout < 1 || total % samples_per_readout != 0)
    throw usage_error("{} density: {} samples are not whole readouts of {}", name, total,
                      samples_per_readout);
  return total / samples_per_readout;
}

// This fraction of a k-space point exceeds rounding and is too small to change the weights.
double fraction_of_a_point(const Shape& image_shape, double fraction) {
  double result = fraction;
  for (const Index extent : image_shape) result = std::min(result, fraction / static_cast<double>(extent));
  return result;
}

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
          "voronoi or pipe",
          r, readout, norm(off))
          .about("density");
    spoke.radius.push_back(along);
  }
  return spoke;
}

// Cell borders half way to the neighbours along the readout. End cells extend as far outwards as inwards, but
// the end nearest to the centre never beyond it.
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
  const int dims = image_shape.rank();
  const Index total = trajectory.shape()[0];
  const Index readouts = whole_readouts("radial", trajectory, samples_per_readout, image_shape);
  const double tolerance = fraction_of_a_point(image_shape, 0.25);

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

namespace {

// Samples of a volume by planes of equal kz.
struct Planes {
  std::vector<std::vector<Index>> samples;
  std::vector<double> thickness;  // cycles/pixel
};

// Half way to the planes on either side; the outermost extend as far outwards as inwards.
std::vector<double> plane_thickness(const std::vector<double>& position, double lone) {
  const std::size_t count = position.size();
  std::vector<double> thickness(count, lone);
  if (count > 1)
    for (std::size_t p = 0; p < count; ++p) {
      const double below = p > 0 ? position[p] - position[p - 1] : position[1] - position[0];
      const double above = p + 1 < count ? position[p + 1] - position[p] : position[p] - position[p - 1];
      thickness[p] = 0.5 * (below + above);
    }
  return thickness;
}

Planes find_planes(View<const double> trajectory, Index partitions) {
  const double same = 1e-3 / static_cast<double>(partitions);
  const auto kz = [&](Index j) { return trajectory[3 * j + 2]; };
  std::vector<Index> order(static_cast<std::size_t>(trajectory.shape()[0]));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return kz(a) < kz(b); });
  Planes planes;
  std::vector<double> position;
  for (const Index j : order) {
    if (position.empty() || kz(j) - position.back() > same) {
      position.push_back(kz(j));
      planes.samples.emplace_back();
    }
    planes.samples.back().push_back(j);
  }
  for (auto& samples : planes.samples) std::sort(samples.begin(), samples.end());
  planes.thickness = plane_thickness(position, 1 / static_cast<double>(partitions));
  return planes;
}

// Applies the weights of a plane, planar(trajectory [n, 2], plane's shape), to each plane of a stack.
template <typename Planar>
Array<double> stack_density(View<const double> trajectory, const Shape& image_shape, const Planes& planes,
                            const Planar& planar) {
  Array<double> density({trajectory.shape()[0]});
  for (std::size_t p = 0; p < planes.samples.size(); ++p) {
    const auto& samples = planes.samples[p];
    Array<double> plane({static_cast<Index>(samples.size()), 2});
    for (std::size_t i = 0; i < samples.size(); ++i)
      for (Index axis = 0; axis < 2; ++axis)
        plane[static_cast<Index>(2 * i) + axis] = trajectory[3 * samples[i] + axis];
    const auto weights = planar(plane.view(), image_shape.drop_front(1));
    for (std::size_t i = 0; i < samples.size(); ++i)
      density[samples[i]] =
          weights[static_cast<Index>(i)] * planes.thickness[p] * static_cast<double>(image_shape[0]);
  }
  return density;
}

bool straight(View<const double> trajectory, Index samples_per_readout, const Shape& image_shape) {
  const double tolerance = fraction_of_a_point(image_shape, 0.25);
  try {
    fit_spoke(trajectory.data(), samples_per_readout, image_shape.rank(), 0, tolerance);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace

Array<double> analytic_density(View<const double> trajectory, Index samples_per_readout,
                               const Shape& image_shape, Context& ctx) {
  const Index readouts = whole_readouts("analytic", trajectory, samples_per_readout, image_shape);
  if (image_shape.rank() == 2)
    return straight(trajectory, samples_per_readout, image_shape)
               ? radial_density(trajectory, samples_per_readout, image_shape, ctx)
               : voronoi_density(trajectory, image_shape, ctx);

  const double same = 1e-3 / static_cast<double>(image_shape[0]);
  bool flat = true;
  for (Index j = 0; j < readouts * samples_per_readout && flat; ++j)
    flat = std::abs(trajectory[3 * j + 2] - trajectory[3 * (j - j % samples_per_readout) + 2]) < same;
  if (!flat) return radial_density(trajectory, samples_per_readout, image_shape, ctx);
  const auto planar = [&](View<const double> plane, const Shape& shape) {
    return analytic_density(plane, samples_per_readout, shape, ctx);
  };
  return stack_density(trajectory, image_shape, find_planes(trajectory, image_shape[0]), planar);
}

Array<double> voronoi_density(View<const double> trajectory, const Shape& image_shape, Context& ctx) {
  require_plane_or_volume("Voronoi", trajectory, image_shape);
  const auto planar = [&](View<const double> plane, const Shape& shape) {
    auto areas = voronoi_areas(plane, fraction_of_a_point(shape, 1e-4), ctx);
    for (double& area : areas) area *= static_cast<double>(shape.size());
    return areas;
  };
  if (image_shape.rank() == 2) return planar(trajectory, image_shape);
  const auto planes = find_planes(trajectory, image_shape[0]);
  // A stack has about as many planes as partitions; a three-dimensional trajectory as many as samples.
  if (static_cast<Index>(planes.samples.size()) > 4 * image_shape[0])
    throw input_error(
        "Voronoi density works in 2D and on stacks along z, but samples lie on {} different kz for {} "
        "partitions; "
        "use pipe",
        planes.samples.size(), image_shape[0])
        .about("density");
  return stack_density(trajectory, image_shape, planes, planar);
}

}  // namespace larmor
