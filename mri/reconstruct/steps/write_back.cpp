#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/reconstruct/steps/write_back.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

constexpr Index pixel_grain = 1 << 14;

template <typename T>
Array<std::complex<T>> root_sum_of_squares(View<const std::complex<T>> coil_images, const Context& ctx) {
  const Shape pixels = coil_images.shape().drop_front(1);
  Array<std::complex<T>> result(pixels);
  const Index count = pixels.size(), coils = coil_images.shape()[0];
  parallel_for(ctx, count, pixel_grain, [&](Index begin, Index end, int) {
    for (Index p = begin; p < end; ++p) {
      double sum = 0;
      for (Index c = 0; c < coils; ++c) sum += static_cast<double>(std::norm(coil_images[c * count + p]));
      result[p] = std::complex<T>(static_cast<T>(std::sqrt(sum)));
    }
  });
  return result;
}

// Written images are 1/√N times the solution.
template <typename T>
Array<std::complex<float>> pixels_of(View<const std::complex<T>> image, const Grids& grids,
                                     const Context* workers) {
  const double unit = 1 / std::sqrt(static_cast<double>(grids.solve_shape().size()));
  const Shape pixels = grids.recon_shape();
  const int outer_axes = image.shape().rank() - pixels.rank();
  Array<std::complex<T>> part;
  if (outer_axes < 0 || image.shape().drop_front(outer_axes) != pixels) {
    part = cropped<std::complex<T>>(image, pixels, workers);
    image = part;
  }
  const auto& matrix = grids.recon.matrix;
  Shape shape{matrix[2], matrix[1], matrix[0]};
  if (outer_axes > 0) shape = shape.prepend(image.shape()[0]);
  Array<std::complex<float>> result(shape);
  parallel_for(workers, result.size(), pixel_grain, [&](Index begin, Index end, int) {
    std::transform(image.begin() + begin, image.begin() + end, result.begin() + begin,
                   [unit](const std::complex<T>& value) {
                     return std::complex<float>(static_cast<float>(value.real() * unit),
                                                static_cast<float>(value.imag() * unit));
                   });
  });
  return result;
}

}  // namespace

template <typename T>
Image image_of(View<const std::complex<T>> x, const ScanPlan& plan, std::size_t image,
               const Context* workers) {
  const PlannedImage& planned = plan.images.at(image);
  Image result;
  if (!x.device().on_gpu())
    result.pixels = pixels_of<T>(x, plan.grids, workers);
  else
    result.pixels = pixels_of<T>(copied_to(Device::cpu(), x), plan.grids, workers);
  result.geometry = planned.geometry;
  result.counters = planned.counters;
  result.acquisition_time_stamp = planned.acquisition_time_stamp;
  return result;
}

template <typename T>
void write_back(std::type_identity_t<View<const std::complex<T>>> x, const PlannedProblem& problem,
                const ScanPlan& plan, const ReconstructOptions& options, ImageSeries& series, Context& ctx) {
  using C = std::complex<T>;
  if (x.size() != problem.unknown.size())
    throw usage_error("write_back: a solution of shape {} for the problem's {}", x.shape().to_string(),
                      problem.unknown.to_string());
  if (series.images.size() < problem.first_image + problem.images)
    throw usage_error(
        "write_back: the series has {} images, and the problem's are {} to {}: first resize it to the number "
        "of the list, images.resize(list.images)",
        series.images.size(), problem.first_image, problem.first_image + problem.images - 1);
  const Shape pixels = plan.grids.solve_shape();
  const auto count = static_cast<Index>(problem.images);
  Shape one = pixels;
  if (options.coils.combine != Combine::sense) one = one.prepend(x.size() / (count * pixels.size()));
  const Index sets = images_of_frame(plan, options.coils);
  // Frames that were images of the scan keep their counters. Images made from several contrasts are counted
  // separately, and do not have the echo time of one.
  const bool own = !problem.series.frames && !problem.basis;
  const auto contrast_of = [&](std::size_t image) { return plan.images[image].counters.contrast; };
  const auto [least, most] =
      std::minmax_element(problem.series.images.begin(), problem.series.images.end(),
                          [&](std::size_t a, std::size_t b) { return contrast_of(a) < contrast_of(b); });
  const std::uint16_t contrast = contrast_of(*least) == contrast_of(*most)
                                     ? contrast_of(*least)
                                     : static_cast<std::uint16_t>(contrast_of(*most) + 1);
  for (Index i = 0; i < count; ++i) {
    const auto frame = static_cast<std::size_t>(i / sets);
    Array<C> filtered;
    View<const C> part(x.data() + i * one.size(), one, x.device());
    if (options.output.filter == KspaceFilter::hann) {
      filtered = hann_filtered<T>(copied_to(Device::cpu(), part), plan.dims, ctx);
      part = filtered.view();
    }
    const std::size_t planned = problem.series.images[own ? frame : 0];
    Image& image = series.images[problem.first_image + static_cast<std::size_t>(i)];
    image = options.coils.combine == Combine::rss
                ? image_of<T>(root_sum_of_squares<T>(part, ctx).view(), plan, planned, &ctx)
                : image_of<T>(part, plan, planned, &ctx);
    if (plan.bands.several()) {
      image.counters.slice = plan.bands.slice(image.counters.slice, i % sets);
      image.geometry = plan.bands.geometry(image.geometry, i % sets);
    } else if (sets > 1) {
      image.counters.set = static_cast<std::uint16_t>(i % sets);
    }
    if (own) continue;
    image.counters.contrast = contrast;
    const auto number = static_cast<std::uint16_t>(frame);
    if (problem.basis)
      image.counters.set = static_cast<std::uint16_t>(i);
    else if (options.frames.window)
      image.counters.repetition = number;
    else
      image.counters.phase = number;
  }
}

#define LARMOR_INSTANTIATE(T)                                                                            \
  template Image image_of<T>(View<const std::complex<T>>, const ScanPlan&, std::size_t, const Context*); \
  template void write_back<T>(View<const std::complex<T>>, const PlannedProblem&, const ScanPlan&,       \
                              const ReconstructOptions&, ImageSeries&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
