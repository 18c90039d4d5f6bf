#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/quality/kspace_region.hpp>
#include <larmor/operators/fft.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

namespace larmor {
namespace {

using std::numbers::pi;
using Point = std::array<double, 3>;  // x, y, z

constexpr Index ring_directions = 360, sphere_directions = 600;
// Float coordinates differ from their grid by rounding.
constexpr double rounding = 1e-5;

Point kspace_point(Index place, const Shape& shape) {
  Point k{};
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const Index extent = shape[axis];
    k[static_cast<std::size_t>(shape.rank() - 1 - axis)] =
        static_cast<double>(place % extent - extent / 2) / static_cast<double>(extent);
    place /= extent;
  }
  return k;
}

double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Directions of half-spaces. In 3D the circles of the coordinate planes are among them, for which cylinders
// and boxes are exact, and a Fibonacci lattice of the sphere for the rest.
std::vector<Point> directions(int dims) {
  std::vector<Point> result;
  for (int plane = 0; plane < (dims == 3 ? 3 : 1); ++plane)
    for (Index i = 0; i < ring_directions; ++i) {
      const double angle = 2 * pi * static_cast<double>(i) / static_cast<double>(ring_directions);
      Point& u = result.emplace_back();
      u[static_cast<std::size_t>(plane)] = std::cos(angle);
      u[static_cast<std::size_t>((plane + 1) % 3)] = std::sin(angle);
    }
  for (Index i = 0; dims == 3 && i < sphere_directions; ++i) {
    const double z = (2 * static_cast<double>(i) + 1) / static_cast<double>(sphere_directions) - 1;
    const double angle = pi * (3 - std::sqrt(5.0)) * static_cast<double>(i), r = std::sqrt(1 - z * z);
    result.push_back({r * std::cos(angle), r * std::sin(angle), z});
  }
  return result;
}

void require_trajectory_of(const Shape& image_shape, View<const double> trajectory) {
  const int dims = image_shape.rank();
  if ((dims != 2 && dims != 3) || trajectory.shape().rank() != 2 || trajectory.shape()[1] != dims)
    throw input_error("a trajectory of shape {} for images of shape {}: expected [samples, {}]",
                      trajectory.shape().to_string(), image_shape.to_string(), dims);
}

}  // namespace

Array<float> ball_of_kspace(const Shape& image_shape) {
  Array<float> region(image_shape);
  for (Index p = 0; p < region.size(); ++p) {
    const Point k = kspace_point(p, image_shape);
    region[p] = dot(k, k) <= 0.25 * (1 + rounding) ? 1.0F : 0.0F;
  }
  return region;
}

Array<float> hull_of_kspace(View<const double> trajectory, const Shape& image_shape, Context& ctx,
                            Communicator* partners) {
  const int dims = image_shape.rank();
  require_trajectory_of(image_shape, trajectory);
  const Index samples = trajectory.shape()[0];
  if (samples == 0 && !partners) throw input_error("the trajectory has no samples");
  for (Index i = 0; i < trajectory.size(); ++i)
    if (!std::isfinite(trajectory[i]))
      throw input_error("the trajectory's value {} is not a finite number", i);

  // Extent of the samples along each direction.
  const auto normals = directions(dims);
  std::vector<double> reach(normals.size());
  parallel_for(ctx, static_cast<Index>(normals.size()), 1, [&](Index begin, Index end, int) {
    for (Index n = begin; n < end; ++n) {
      const Point& u = normals[static_cast<std::size_t>(n)];
      double most = -std::numeric_limits<double>::infinity();
      for (Index j = 0; j < samples; ++j) {
        double along = 0;
        for (int axis = 0; axis < dims; ++axis)
          along += trajectory[j * dims + axis] * u[static_cast<std::size_t>(axis)];
        most = std::max(most, along);
      }
      reach[static_cast<std::size_t>(n)] = most + rounding;
    }
  });
  if (partners) partners->all_reduce(View<double>(reach), Reduction::maximum);
  const double nearest = std::max(0.0, *std::min_element(reach.begin(), reach.end()));

  Array<float> region(image_shape);
  parallel_for(ctx, region.size(), 4096, [&](Index begin, Index end, int) {
    for (Index p = begin; p < end; ++p) {
      const Point k = kspace_point(p, image_shape);
      bool inside = true;
      for (std::size_t n = 0; n < normals.size() && inside && dot(k, k) > nearest * nearest; ++n)
        inside = dot(k, normals[n]) <= reach[n];
      region[p] = inside ? 1.0F : 0.0F;
    }
  });
  return region;
}

namespace {

constexpr Index bits = 32;

// The point of an image's k-space nearest to factor·k; k-space is periodic.
Index point_at(const double* k, double factor, const Shape& image_shape) {
  const int dims = image_shape.rank();
  Index place = 0;
  for (int axis = 0; axis < dims; ++axis) {
    const Index extent = image_shape[axis];
    const double along = factor * k[dims - 1 - axis];
    // Wrapped before conversion to an integer; values that are not finite count at the centre.
    const double cell =
        std::isfinite(along) ? std::round((along - std::round(along)) * static_cast<double>(extent)) : 0;
    place = place * extent + (static_cast<Index>(cell) + extent / 2 + extent) % extent;
  }
  return place;
}

// A bit for each point of an image's k-space that has a sample within half a cell along every axis.
std::vector<std::uint32_t> sampled_points(View<const double> trajectory, const Shape& image_shape,
                                          Context& ctx) {
  const int dims = image_shape.rank();
  require_trajectory_of(image_shape, trajectory);
  std::vector<std::uint32_t> sampled(static_cast<std::size_t>((image_shape.size() + bits - 1) / bits));
  parallel_for(ctx, trajectory.shape()[0], 1 << 14, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) {
      const Index place = point_at(&trajectory[j * dims], 1, image_shape);
      const std::atomic_ref<std::uint32_t> word(sampled[static_cast<std::size_t>(place / bits)]);
      const std::uint32_t bit = std::uint32_t{1} << (place % bits);
      if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
    }
  });
  return sampled;
}

bool contains(const std::vector<std::uint32_t>& points, Index place) {
  return (points[static_cast<std::size_t>(place / bits)] >> (place % bits) & 1U) != 0;
}

Index count_of(const std::vector<std::uint32_t>& points) {
  Index count = 0;
  for (const std::uint32_t word : points) count += std::popcount(word);
  return count;
}

}  // namespace

double part_not_sampled(View<const double> trajectory, const Shape& image_shape, Context& ctx) {
  const Index count = count_of(sampled_points(trajectory, image_shape, ctx));
  return 1 - static_cast<double>(count) / static_cast<double>(image_shape.size());
}

double part_on_one_side(View<const double> trajectory, const Shape& image_shape, Context& ctx) {
  const std::vector<std::uint32_t> sampled = sampled_points(trajectory, image_shape, ctx);
  Index alone = 0;
  for (Index place = 0; place < image_shape.size(); ++place) {
    if (!contains(sampled, place)) continue;
    Index rest = place, mirrored = 0, stride = 1;
    for (int axis = image_shape.rank(); axis-- > 0; rest /= image_shape[axis]) {
      const Index extent = image_shape[axis];
      mirrored += (2 * (extent / 2) - rest % extent + extent) % extent * stride;
      stride *= extent;
    }
    alone += contains(sampled, mirrored) ? 0 : 1;
  }
  const Index count = count_of(sampled);
  return count > 0 ? static_cast<double>(alone) / static_cast<double>(count) : 0;
}

std::vector<std::uint8_t> lacking_at_half_resolution(View<const double> trajectory, const Shape& image_shape,
                                                     Context& ctx) {
  const std::vector<std::uint32_t> sampled = sampled_points(trajectory, image_shape, ctx);
  const int dims = image_shape.rank();
  std::vector<std::uint8_t> lacking(static_cast<std::size_t>(trajectory.shape()[0]));
  for (std::size_t j = 0; j < lacking.size(); ++j) {
    const double* const k = &trajectory[static_cast<Index>(j) * dims];
    const bool inside = std::all_of(k, k + dims, [](double along) { return std::abs(along) < 0.25; });
    lacking[j] = inside && !contains(sampled, point_at(k, 2, image_shape)) &&
                         contains(sampled, point_at(k, -2, image_shape))
                     ? 1
                     : 0;
  }
  return lacking;
}

Array<std::complex<float>> inside_of_kspace(View<const std::complex<float>> images, View<const float> region,
                                            Context& ctx) {
  const int outer = images.shape().rank() - region.shape().rank();
  if (outer < 0 || images.shape().drop_front(outer) != region.shape())
    throw usage_error("inside_of_kspace: images {} and a region {}", images.shape().to_string(),
                      region.shape().to_string());
  Array<std::complex<float>> result(images.shape());
  Array<std::complex<double>> one(region.shape()), there(region.shape());
  const Fft<double> fft(region.shape(), region.shape().rank());
  for (Index first = 0; first < images.size(); first += region.size()) {
    std::copy_n(images.data() + first, region.size(), one.data());
    fft.apply(one, there, ctx);
    for (Index p = 0; p < region.size(); ++p)
      if (region[p] == 0) there[p] = 0;
    fft.adjoint(there, one, ctx);
    for (Index p = 0; p < region.size(); ++p) result[first + p] = std::complex<float>(one[p]);
  }
  return result;
}

}  // namespace larmor
