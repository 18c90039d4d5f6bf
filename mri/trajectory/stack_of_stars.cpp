#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/trajectory/stack_of_stars.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace larmor {
namespace {

// Tolerance of a plane's distance from the grid, relative to the planes' distance, and of the distance
// between points of two planes, in cycles/pixel: the rounding of single precision in files.
constexpr double plane_tolerance = 1e-3, point_tolerance = 1e-6;

// True if the samples of every plane have the same points and densities as those of the first.
bool planes_agree(View<const double> k, View<const double> density,
                  const std::vector<std::vector<Index>>& planes) {
  for (std::size_t p = 1; p < planes.size(); ++p)
    for (std::size_t i = 0; i < planes[p].size(); ++i) {
      const Index a = planes[0][i], b = planes[p][i];
      if (std::abs(k[3 * a] - k[3 * b]) > point_tolerance ||
          std::abs(k[3 * a + 1] - k[3 * b + 1]) > point_tolerance)
        return false;
      if (density.size() > 0 && std::abs(density[a] - density[b]) > 1e-6 * std::abs(density[a])) return false;
    }
  return true;
}

}  // namespace

std::optional<SliceStack> find_slice_stack(View<const double> trajectory, View<const double> density,
                                           const Shape& image_shape) {
  if (image_shape.rank() != 3 || trajectory.shape().rank() != 2 || trajectory.shape()[1] != 3)
    throw usage_error(
        "find_slice_stack: trajectory of shape {} for an image of shape {}, expected [samples, 3] "
        "and [z, y, x]",
        trajectory.shape().to_string(), image_shape.to_string());
  const Index slices = image_shape[0], samples = trajectory.shape()[0];
  if (samples == 0 || samples % slices != 0) return {};
  std::vector<std::vector<Index>> planes(static_cast<std::size_t>(slices));
  for (Index j = 0; j < samples; ++j) {
    const double place = trajectory[3 * j + 2] * static_cast<double>(slices);
    const double nearest = std::round(place);
    if (!(std::abs(place - nearest) <= plane_tolerance)) return {};
    // The transform is periodic with kz = 1.
    const Index shifted = static_cast<Index>(std::fmod(nearest, static_cast<double>(slices))) + slices / 2;
    planes[static_cast<std::size_t>((shifted % slices + slices) % slices)].push_back(j);
  }
  const auto points = static_cast<std::size_t>(samples / slices);
  for (const auto& plane : planes)
    if (plane.size() != points) return {};
  if (!planes_agree(trajectory, density, planes)) {
    // The planes may have been sampled in different orders.
    const auto rounded = [&](Index j, int axis) {
      return std::llround(trajectory[3 * j + axis] / (4 * point_tolerance));
    };
    for (auto& plane : planes)
      std::stable_sort(plane.begin(), plane.end(), [&](Index a, Index b) {
        return std::pair(rounded(a, 0), rounded(a, 1)) < std::pair(rounded(b, 0), rounded(b, 1));
      });
    if (!planes_agree(trajectory, density, planes)) return {};
  }
  SliceStack stack;
  stack.slices = slices;
  stack.trajectory = Array<double>({static_cast<Index>(points), 2});
  if (density.size() > 0) stack.density = Array<double>({static_cast<Index>(points)});
  for (Index i = 0; i < stack.points(); ++i) {
    const Index j = planes[0][static_cast<std::size_t>(i)];
    stack.trajectory[2 * i] = trajectory[3 * j];
    stack.trajectory[2 * i + 1] = trajectory[3 * j + 1];
    if (density.size() > 0) stack.density[i] = density[j];
  }
  for (const auto& plane : planes) stack.sample.insert(stack.sample.end(), plane.begin(), plane.end());
  return stack;
}

Array<std::complex<float>> slice_samples(const SliceStack& stack, View<const std::complex<float>> samples,
                                         Context& ctx) {
  const Index slices = stack.slices, points = stack.points(), coils = samples.shape()[0];
  if (samples.shape().rank() != 2 || samples.shape()[1] != slices * points)
    throw usage_error("slice_samples: samples of shape {}, expected [coils, {}]", samples.shape().to_string(),
                      slices * points);
  // exp(+2πi p z / N_z) / √N_z, p and z from −⌊N_z/2⌋.
  Array<std::complex<double>> transform({slices, slices});
  for (Index z = 0; z < slices; ++z)
    for (Index p = 0; p < slices; ++p) {
      const auto turns = static_cast<double>((z - slices / 2) * (p - slices / 2) % slices);
      transform[z * slices + p] = std::polar(1 / std::sqrt(static_cast<double>(slices)),
                                             2 * std::numbers::pi * turns / static_cast<double>(slices));
    }
  Array<std::complex<float>> result({slices, coils, points});
  parallel_for(ctx.host(), points, 64, [&](Index begin, Index end, int) {
    for (Index c = 0; c < coils; ++c)
      for (Index z = 0; z < slices; ++z)
        for (Index i = begin; i < end; ++i) {
          std::complex<double> sum = 0;
          for (Index p = 0; p < slices; ++p) {
            const std::complex<double> w = transform[z * slices + p];
            const std::complex<float> s =
                samples[c * slices * points + stack.sample[static_cast<std::size_t>(p * points + i)]];
            const double re = s.real(), im = s.imag();
            sum += std::complex<double>(w.real() * re - w.imag() * im, w.real() * im + w.imag() * re);
          }
          result[(z * coils + c) * points + i] = std::complex<float>(sum);
        }
  });
  return result;
}

template <typename T>
Array<std::complex<T>> slice_maps(View<const std::complex<T>> maps) {
  if (maps.shape().rank() != 4)
    throw usage_error("slice_maps: maps of shape {}, expected [coils, z, y, x]", maps.shape().to_string());
  const Index coils = maps.shape()[0], slices = maps.shape()[1], pixels = maps.shape()[2] * maps.shape()[3];
  Array<std::complex<T>> result({slices, coils, maps.shape()[2], maps.shape()[3]});
  for (Index c = 0; c < coils; ++c)
    for (Index z = 0; z < slices; ++z)
      std::copy_n(maps.data() + (c * slices + z) * pixels, pixels, result.data() + (z * coils + c) * pixels);
  return result;
}

template Array<std::complex<float>> slice_maps<float>(View<const std::complex<float>>);
template Array<std::complex<double>> slice_maps<double>(View<const std::complex<double>>);

}  // namespace larmor
