#include <larmor/core/format_error.hpp>
#include <larmor/mri/coils/geometric_compression.hpp>
#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/model/series.hpp>
#include <larmor/mri/trajectory/stack_of_stars.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace LARMOR_API larmor {
namespace {

// A map on the solve grid; none stays none.
Array<float> on_grid(View<const float> map, const Shape& shape, std::optional<float> outside) {
  return map.size() > 0 ? extended<float>(map, shape, outside) : Array<float>{};
}

void check_frames(const std::vector<PreparedImage>& frames, const Shape& shape, const Shape& maps,
                  const SeriesOptions& options) {
  const auto count = static_cast<Index>(frames.size());
  if (count == 0 || shape.size() != count)
    throw internal_error("series_problem: {} frames for a series of {}", count, shape.to_string());
  if (options.basis && options.basis->vectors.shape()[0] != count)
    throw input_error("the basis has {} echoes, but the series {} frames", options.basis->vectors.shape()[0],
                      count);
  if (options.field && !(options.field->frequency.shape() == maps.drop_front(1)))
    throw input_error("field map of shape {} for coil maps of {}: give it on the grid of the image",
                      options.field->frequency.shape().to_string(), maps.to_string());
  for (const PreparedImage& frame : frames) {
    if (frame.samples.shape()[0] != maps[0])
      throw internal_error("series_problem: samples of {} coils, but maps of {}", frame.samples.shape()[0],
                           maps[0]);
    if (frame.weights.empty() != frames.front().weights.empty())
      throw internal_error("series_problem: some frames have density weights and some have none");
    if (options.field && frame.times.empty())
      throw internal_error("series_problem: a field map, but samples without times");
  }
}

// Samples times √d, flat, as the models with density d expect them.
template <typename T>
void append_weighted(const PreparedImage& frame, std::complex<T>* out) {
  const Index columns = frame.samples.shape()[1];
  for (Index i = 0; i < frame.samples.size(); ++i) {
    const double d = frame.weights.empty() ? 1.0 : frame.weights[i % columns];
    out[i] = std::complex<T>(frame.samples[i]) * static_cast<T>(std::sqrt(d));
  }
}

// Transforms of frames; those with one trajectory and density share it, and its point-spread function.
template <typename T>
class Transforms {
 public:
  const Nufft<T>& of(const PreparedImage& frame, const Shape& image, const NufftOptions& options,
                     Context& ctx) {
    const auto equal = [](const Array<double>& a, const Array<double>& b) {
      return a.shape() == b.shape() && std::equal(a.begin(), a.end(), b.begin());
    };
    for (const auto& [other, transform] : made_)
      if (equal(other->trajectory, frame.trajectory) && equal(other->weights, frame.weights))
        return transform;
    return made_.emplace_back(&frame, Nufft<T>(frame.trajectory, frame.weights, image, options, ctx)).second;
  }

 private:
  std::vector<std::pair<const PreparedImage*, Nufft<T>>> made_;
};

// The segments of a field map for all frames at once, and the rows of each.
template <typename T>
struct SegmentsOfFrames {
  TimeSegments segments;
  CoilMaps<T> images;
  /// Interpolators of `count` samples from the first-th on.
  View<const std::complex<double>> rows(Index first, Index count) const {
    return segments.basis.view().slices(first, count);
  }
};

template <typename T>
SegmentsOfFrames<T> segments_of(const std::vector<PreparedImage>& frames, const SeriesOptions& options,
                                SeriesReport& report, Context& ctx) {
  Index total = 0;
  for (const PreparedImage& frame : frames) total += frame.times.size();
  Array<double> times({total});
  double* out = times.data();
  for (const PreparedImage& frame : frames) out = std::copy(frame.times.begin(), frame.times.end(), out);
  TimeSegments segments = time_segments(*options.field, times, options.segments, ctx);
  report.segments = segments.count();
  report.centre_hz = segments.centre_hz;
  report.segment_error = segment_error(segments, *options.field, times);
  CoilMaps<T> images = segment_images<T>(segments, ctx);
  return {std::move(segments), std::move(images)};
}

// One frame whose slices come apart, or nothing.
template <typename T>
bool decouple(const PreparedImage& frame, const CoilMaps<T>& maps, const SeriesOptions& options,
              SeriesProblem<T>& problem, Context& ctx) {
  if (maps.domain().rank() != 3) return false;
  const auto stack = find_slice_stack(frame.trajectory, frame.weights, maps.domain());
  if (!stack) return false;
  Array<std::complex<float>> weighted(frame.samples.shape());
  append_weighted<float>(frame, weighted.data());
  Context host = ctx.host();
  auto slices = slice_samples(*stack, weighted, ctx);
  auto maps_of_slices = slice_maps<T>(copied_to(Device::cpu(), maps.maps()));
  if (options.geometric_coils > 0) {
    const auto matrices = geometric_compression(slices, options.geometric_coils, host);
    slices = compress_positions(matrices, slices, host);
    const Shape image = maps.domain().drop_front(1);
    const auto compressed =
        compress_positions(matrices,
                           converted<std::complex<float>>(maps_of_slices.view())
                               .view()
                               .reshaped({maps.domain()[0], maps.codomain()[0], image.size()}),
                           host);
    maps_of_slices = converted<std::complex<T>>(
        compressed.view().reshaped(image.prepend(options.geometric_coils).prepend(maps.domain()[0])));
  }
  problem.samples = moved_to(ctx.device(), converted<std::complex<T>>(slices.view()));
  NufftOptions nufft = options.nufft;
  nufft.batch = maps_of_slices.shape()[1];
  const Nufft<T> transform(stack->trajectory, stack->density, maps.domain().drop_front(1), nufft, ctx);
  problem.model = stack_model<T>(transform, copied_to(ctx.device(), maps_of_slices)).share();
  problem.report.slices_decoupled = true;
  return true;
}

}  // namespace

FieldMap FieldArrays::view() const {
  return {frequency, decay, weight};
}

FieldArrays field_on_solve_grid(const FieldMap& given, const Grids& grids, Index slices, Index position) {
  const Shape recon = grids.recon_shape(), solve = grids.solve_shape();
  const auto fits = [&](const Shape& shape) { return shape == recon || shape == solve; };
  FieldMap slice = given;
  Shape pixels = given.frequency.shape();
  if (pixels.rank() == recon.rank() + 1 && pixels[0] == slices) {
    pixels = pixels.drop_front(1);
    slice.frequency = given.frequency.slice(position);
    if (given.decay.size() == given.frequency.size()) slice.decay = given.decay.slice(position);
    if (given.weight.size() == given.frequency.size()) slice.weight = given.weight.slice(position);
  }
  if (!fits(pixels))
    throw input_error("field map of shape {}, expected {} as the image{}",
                      given.frequency.shape().to_string(), recon.to_string(),
                      slices > 1 ? fmt::format(", or one for each of {} slices", slices) : "");
  for (const auto& [name, map] :
       {std::pair("R2* map", slice.decay), std::pair("weight of the field map", slice.weight)})
    if (map.size() > 0 && !(map.shape() == pixels))
      throw input_error("{} of shape {}, but the field map has {}", name, map.shape().to_string(),
                        pixels.to_string());
  FieldArrays result;
  result.frequency = on_grid(slice.frequency, solve, {});
  result.decay = on_grid(slice.decay, solve, {});
  if (slice.weight.size() > 0)
    result.weight = on_grid(slice.weight, solve, 0.0F);
  else if (!(pixels == solve))
    result.weight = on_grid(filled<float>(pixels, 1), solve, 0.0F);
  return result;
}

template <typename T>
SeriesProblem<T> series_problem(const std::vector<PreparedImage>& frames, const Shape& shape,
                                const CoilMaps<T>& maps, const SeriesOptions& options, Context& ctx) {
  check_frames(frames, shape, maps.codomain(), options);
  NufftOptions nufft = options.nufft;
  nufft.batch = maps.codomain()[0];
  SeriesProblem<T> problem;
  std::optional<SegmentsOfFrames<T>> segments;
  if (options.field) segments.emplace(segments_of<T>(frames, options, problem.report, ctx));

  if (options.basis) {
    const PreparedImage all = joined_frames(frames);
    std::vector<Index> echo;
    for (std::size_t e = 0; e < frames.size(); ++e)
      echo.insert(echo.end(), static_cast<std::size_t>(frames[e].trajectory.shape()[0]),
                  static_cast<Index>(e));
    const auto rows = rows_of_samples(*options.basis, echo);
    problem.model = segments
                        ? off_resonance_subspace_model<T>(all.trajectory, rows, segments->segments.basis,
                                                          segments->images, maps, nufft, ctx, all.weights)
                              .share()
                        : subspace_model<T>(all.trajectory, rows, maps, nufft, ctx, all.weights).share();
    Array<std::complex<T>> samples(all.samples.shape());
    append_weighted<T>(all, samples.data());
    problem.samples = moved_to(ctx.device(), std::move(samples));
    return problem;
  }

  const bool single = shape.rank() == 0;
  if (single && !segments && options.decouple_slices &&
      decouple<T>(frames.front(), maps, options, problem, ctx))
    return problem;
  if (options.geometric_coils > 0)
    throw input_error(
        "geometric coil compression is for a single image from a stack of equal planes that sample z fully; "
        "compress without it");
  std::vector<OperatorPtr<T>> models;
  Transforms<T> transforms;
  Index first = 0;
  for (const PreparedImage& frame : frames) {
    const Index count = frame.trajectory.shape()[0];
    if (segments)
      models.push_back(off_resonance_model<T>(frame.trajectory, segments->rows(first, count),
                                              segments->images, maps, nufft, ctx, frame.weights)
                           .share());
    else
      models.push_back(sense_model(transforms.of(frame, maps.domain(), nufft, ctx), maps).share());
    first += count;
  }
  problem.model = single ? models.front() : series_model<T>(std::move(models), shape).share();
  Array<std::complex<T>> samples(problem.model->codomain());
  std::complex<T>* out = samples.data();
  for (const PreparedImage& frame : frames) {
    append_weighted<T>(frame, out);
    out += frame.samples.size();
  }
  problem.samples = moved_to(ctx.device(), std::move(samples));
  return problem;
}

template SeriesProblem<float> series_problem<float>(const std::vector<PreparedImage>&, const Shape&,
                                                    const CoilMaps<float>&, const SeriesOptions&, Context&);
template SeriesProblem<double> series_problem<double>(const std::vector<PreparedImage>&, const Shape&,
                                                      const CoilMaps<double>&, const SeriesOptions&,
                                                      Context&);

}  // namespace larmor
