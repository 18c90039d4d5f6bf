#include <larmor/core/format_error.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/coils/calibration.hpp>
#include <larmor/mri/coils/central_part.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/toeplitz/normal_choice.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>
#include <larmor/operators/shifted_copy.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace larmor {
namespace {

using Complex = std::complex<float>;
using std::numbers::pi;

// The fit extends this much beyond the region, because the fitted k-space is poor at its edge.
constexpr double reach = 1.5;
// The problem is small, and the support of maps should not depend on a device's rounding: it is solved in
// double, by transforms of this accuracy.
constexpr double tolerance = 1e-6;
// Along directions of less curvature than this, relative to the largest, the fit would amplify errors of the
// transforms: few central lines are solved exactly within 20 iterations, and further ones gave maps that left
// 0.1 to 1 of their own energy unexplained, not 0.0003.
constexpr double null_space = 1e-5;
// Volumes, which take long, are transformed once in single precision, with a point-spread function of this
// accuracy. The iterations stay in double: in single precision their rounding brings back removed components,
// and a quarter of them is lost.
constexpr double psf_tolerance_in_single = 2e-6;
// The middle of k-space is sampled far more densely than the rest: see SolverOptions. Without this, maps of a
// kooshball differed by 2e-3 (rms) between processors.
constexpr Index orthogonal_to_first = 3;
// Planes with less than this fraction of the brightest plane's energy are outside the object.
constexpr double object_energy = 0.01;
constexpr double object_margin = 1.1;

// In cycles per low-resolution pixel.
CentralPart centre_of(View<const double> trajectory, View<const Complex> samples, const Shape& image_shape,
                      const Shape& low_shape, Context& host) {
  PerAxis scale{}, limit{};
  for (int axis = 0; axis < image_shape.rank(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const Index low = low_shape[image_shape.rank() - 1 - axis],
                full = image_shape[image_shape.rank() - 1 - axis];
    scale[a] = static_cast<double>(full) / static_cast<double>(low);
    // Half a point inside the period, so that opposite edges do not contradict each other.
    limit[a] = low < full ? 0.5 - 0.5 / static_cast<double>(low) : 0.501;
  }
  return central_part(trajectory, samples, scale, limit, host);
}

// The least-squares fit of the samples, for an image of all coils.
Problem<double> fit_of(CentralPart central, const Shape& low_shape, Context& ctx) {
  using DoubleComplex = std::complex<double>;
  const NufftOptions options{
      .tolerance = tolerance, .batch = central.samples.shape()[0], .scaled = false, .forward = false};
  Problem<double> fit;
  if (low_shape.rank() == 3) {
    const Nufft<float> transform(central.trajectory, low_shape, options, ctx);
    const auto rhs = transform.adjoint(moved_to(ctx.device(), std::move(central.samples)), ctx);
    fit.rhs = moved_to(ctx.device(), converted<DoubleComplex>(copied_to(Device::cpu(), rhs.view()).view()));
    fit.normal = Toeplitz<float>(moved_to(ctx.device(), std::move(central.trajectory)), {}, low_shape,
                                 options.batch, psf_tolerance_in_single, false, ctx)
                     .in_double(ctx);
    return fit;
  }
  const Nufft<double> transform(central.trajectory, low_shape, options, ctx);
  fit.rhs = transform.adjoint(moved_to(ctx.device(), converted<DoubleComplex>(central.samples.view())), ctx);
  fit.normal = transform.normal(ctx);
  return fit;
}

// Low-resolution pixels around the centre that hold the object, along one axis.
Index object_extent(View<const Complex> images, int axis) {
  const Shape& shape = images.shape();  // [coils, (z,) y, x]
  Index inner = 1;
  for (int a = axis + 1; a < shape.rank(); ++a) inner *= shape[a];
  const Index extent = shape[axis];
  std::vector<double> energy(static_cast<std::size_t>(extent), 0.0);
  const Complex* pixel = images.data();
  for (const Complex* const end = pixel + images.size(); pixel < end;)
    for (double& of_place : energy) {
      double sum = 0;
      for (Index i = 0; i < inner; ++i) sum += std::norm(*pixel++);
      of_place += sum;
    }
  const double threshold = object_energy * *std::max_element(energy.begin(), energy.end());
  Index half = 0;
  for (Index i = 0; i < extent; ++i)
    if (energy[static_cast<std::size_t>(i)] > threshold) half = std::max(half, std::abs(i - extent / 2) + 1);
  return 2 * half;
}

// The image whose k-space contains the region, and the number of points of the region.
struct RegionGrid {
  Shape shape;
  std::array<double, 3> least_fov{};
  Index points = 1;
};

RegionGrid region_grid(const Shape& image_shape, const CalibrationOptions& options) {
  RegionGrid low;
  low.shape = image_shape;
  for (int axis = 0; axis < image_shape.rank(); ++axis) {
    const double full = static_cast<double>(image_shape[axis]);
    const double asked = options.fov_pixels[static_cast<std::size_t>(axis)];
    const double fov = asked > 0 ? std::min(asked, full) : full;
    low.least_fov[static_cast<std::size_t>(axis)] = fov;
    const double points = std::min(static_cast<double>(options.size), fov);
    low.shape[axis] = std::min(image_shape[axis],
                               fast_fft_size(static_cast<Index>(std::ceil(reach * points * full / fov))));
    low.points *= static_cast<Index>(points);
  }
  return low;
}

}  // namespace

std::size_t calibration_region_bytes(const Shape& image_shape, Index samples, Index coils,
                                     const CalibrationOptions& options, Context& ctx) {
  const Shape low = region_grid(image_shape, options).shape;
  const NufftOptions transform{.tolerance = tolerance, .batch = coils, .scaled = false};
  const auto bytes = [&](Index values) {
    return static_cast<std::size_t>(values * coils) * sizeof(std::complex<double>);
  };
  const std::size_t image = bytes(low.size()), data = bytes(samples),
                    psf = Toeplitz<double>::table_bytes(low, ctx);
  // The point-spread function is computed beside the right-hand side; then the iterations use five images
  // beside the first residuals, and scratch remains as large as for that side.
  const std::size_t spectrum =
      image + Toeplitz<double>::setup_bytes(low, samples, nufft::psf_tolerance(tolerance), ctx);
  const std::size_t scratch = std::max(Nufft<double>::scratch_bytes(low, samples, transform, ctx),
                                       Toeplitz<double>::scratch_bytes(low, coils, ctx));
  return data + Nufft<double>::table_bytes(low, samples, transform, false, ctx) + psf +
         std::max(spectrum, (5 + static_cast<std::size_t>(orthogonal_to_first)) * image + scratch);
}

Placement calibration_placement(std::size_t bytes, const Context& ctx) {
  return ctx.on_gpu() && bytes > ctx.memory_limit() / 4 ? Placement::host : Placement::device;
}

CalibrationRegion calibration_region(View<const double> trajectory, View<const Complex> samples,
                                     const Shape& image_shape, const CalibrationOptions& options,
                                     Context& ctx) {
  const int dims = image_shape.rank();
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != dims || samples.shape().rank() != 2 ||
      samples.shape()[1] != trajectory.shape()[0])
    throw usage_error("calibration_region: trajectory {} and samples {} for an image of shape {}",
                      trajectory.shape().to_string(), samples.shape().to_string(), image_shape.to_string());
  if (options.size < 2)
    throw usage_error(
        "the calibration region for coil maps is {} wide, expected 2 or more points along every axis of the "
        "image: give a larger grid, or maps, or combine the coils by their root sum of squares",
        options.size)
        .about("matrix,maps,combine");
  const Index coils = samples.shape()[0];

  const auto [low_shape, least_fov, wanted] = region_grid(image_shape, options);
  Context host = ctx.host();
  auto central = centre_of(trajectory, samples, image_shape, low_shape, host);
  const Index count = central.trajectory.shape()[0];
  if (count < std::max<Index>(1, wanted / 16))
    throw input_error(
        "coil calibration: only {} samples lie in the {} central points of k-space; give coil maps, or "
        "combine the coils by their root sum of squares",
        count, wanted)
        .about("maps,combine");

  auto solved = conjugate_gradient<double>(fit_of(std::move(central), low_shape, ctx),
                                           {.iterations = options.iterations,
                                            .null_space = null_space,
                                            .orthogonal_to_first = orthogonal_to_first},
                                           ctx);
  const auto low = converted<Complex>(moved_to(Device::cpu(), std::move(solved.x)).view());

  CalibrationRegion region;
  Shape cut = low_shape, size = low_shape;
  for (int axis = 0; axis < dims; ++axis) {
    const double per_pixel = static_cast<double>(low_shape[axis]) / static_cast<double>(image_shape[axis]);
    const double least = least_fov[static_cast<std::size_t>(axis)] * per_pixel;
    const double object = object_margin * static_cast<double>(object_extent(low, axis + 1));
    cut[axis] = std::min(low_shape[axis], static_cast<Index>(std::lround(std::max(least, object))));
    region.fov[static_cast<std::size_t>(axis)] = static_cast<double>(cut[axis]) / per_pixel;
    size[axis] = std::min(options.size, cut[axis]);
  }
  // The object's part of all coil images becomes k-space.
  Array<Complex> parts(cut.prepend(coils)), rolled(parts.shape());
  const FftPlan<float> plan(parts.shape(), dims);
  host.arena().reserve(plan.scratch_bytes(host));
  copy_centred<float>(low, parts, host, Write::overwrite);
  copy_rolled<float>(parts, rolled, dims, true, 1, host, Write::overwrite);
  plan.execute(rolled, FftSign::forward, host);
  copy_rolled<float>(rolled, parts, dims, false, 1, host, Write::overwrite);
  region.kspace = Array<Complex>(size.prepend(coils));
  copy_centred<float>(parts, region.kspace, host, Write::overwrite);
  return region;
}

Array<Complex> low_resolution_images(const CalibrationRegion& calibration, const Shape& image_shape,
                                     Context& ctx) {
  const Shape& size = calibration.kspace.shape();
  const int dims = image_shape.rank();
  if (size.rank() != dims + 1)
    throw usage_error("low_resolution_images: region of shape {} for an image of shape {}", size.to_string(),
                      image_shape.to_string());
  Array<Complex> images(image_shape.prepend(size[0]));
  // One axis after the other, the slowest first, from k-space points to pixels of the image.
  parallel_for(ctx, size[0], 1, [&](Index begin, Index end, int) {
    for (Index c = begin; c < end; ++c) {
      const auto points = calibration.kspace.view().slice(c);
      std::vector<Complex> current(points.begin(), points.end());
      Index outer = 1, inner = points.size();
      for (int axis = 0; axis < dims; ++axis) {
        const Index from = size[axis + 1], to = image_shape[axis];
        const double fov = calibration.fov[static_cast<std::size_t>(axis)];
        inner /= from;
        std::vector<Complex> next(static_cast<std::size_t>(outer * to * inner));
        for (Index x = 0; x < to; ++x) {
          const double position = static_cast<double>(x - to / 2) / fov;
          if (std::abs(position) > 0.5) continue;
          for (Index k = 0; k < from; ++k) {
            const double offset = static_cast<double>(k - from / 2);
            const double hann = 0.5 + 0.5 * std::cos(2 * pi * offset / static_cast<double>(from));
            const Complex factor(std::polar(hann / fov, 2 * pi * offset * position));
            for (Index o = 0; o < outer; ++o)
              for (Index i = 0; i < inner; ++i)
                next[static_cast<std::size_t>((o * to + x) * inner + i)] +=
                    factor * current[static_cast<std::size_t>((o * from + k) * inner + i)];
          }
        }
        current = std::move(next);
        outer *= to;
      }
      std::copy(current.begin(), current.end(), images.view().slice(c).begin());
    }
  });
  return images;
}

}  // namespace larmor
