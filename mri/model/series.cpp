#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/model/series.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/operators/elementwise_kernels.hpp>
#include <larmor/operators/stacks.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

namespace LARMOR_API larmor {
namespace {

void check_frames(const std::vector<PreparedImage>& frames, const Shape& shape, const Shape& coil_images,
                  Index sets, const SeriesOptions& options) {
  const auto count = static_cast<Index>(frames.size());
  if (count == 0 || shape.size() != count)
    throw usage_error("series_problem: {} frames for a series of {}", count, shape.to_string());
  if (options.basis && options.basis->vectors.shape()[0] != count)
    throw input_error("the basis has {} echoes, but the series {} frames", options.basis->vectors.shape()[0],
                      count);
  if (options.segments &&
      !(options.segments->segments.images.shape().drop_front(1) == coil_images.drop_front(1)))
    throw input_error("field map of shape {} for coil maps of {}: give it on the grid of the image",
                      options.segments->segments.images.shape().drop_front(1).to_string(),
                      coil_images.to_string());
  for (const PreparedImage& frame : frames) {
    if (frame.samples.shape()[0] != coil_images[0])
      throw usage_error("series_problem: samples of {} coils, but maps of {}", frame.samples.shape()[0],
                        coil_images[0]);
    if (frame.weights.empty() != frames.front().weights.empty())
      throw usage_error("series_problem: some frames have density weights and some have none");
    const Index bands = frame.bands.empty() ? 0 : frame.bands.shape()[1];
    if (bands > 0 && (bands != sets || options.basis || options.segments))
      throw usage_error(
          "series_problem: {} bands, but {} sets of coil maps{}", bands, sets,
          options.basis || options.segments ? "; bands cannot be combined with a basis or a field map" : "");
  }
}

// √d of the frames' samples, frame by frame; empty without weights.
template <typename T>
Array<T> roots_of(std::span<const PreparedImage> frames) {
  Index count = 0;
  for (const PreparedImage& frame : frames) count += frame.weights.size();
  Array<T> roots({count});
  T* out = roots.data();
  for (const PreparedImage& frame : frames)
    out = std::transform(frame.weights.begin(), frame.weights.end(), out,
                         [](double d) { return static_cast<T>(std::sqrt(d)); });
  return roots;
}

// Multiplies values [rows][samples] by √d, as the models with density d expect their samples. Both are on the
// context's device.
template <typename T>
void weigh_rows(std::complex<T>* values, Index rows, View<const T> roots, Context& ctx) {
  for_each(ctx, roots.size(), MultiplyColumns<T>{roots.data(), rows, roots.size(), complex_values(values)});
}

// Weighted samples [coil, samples] of the frames in order, on the context's device; those of a single frame
// are moved, not copied.
template <typename T>
Array<std::complex<T>> joined_samples(std::vector<PreparedImage> frames, const Shape& shape,
                                      Placement placement, Context& ctx) {
  using C = std::complex<T>;
  const Index rows = frames.front().samples.shape()[0];
  std::vector<Index> columns;
  for (const PreparedImage& frame : frames) columns.push_back(frame.samples.shape()[1]);
  const Array<T> roots = moved_to(ctx.device(), roots_of<T>(frames));
  Array<C> samples;
  if constexpr (std::is_same_v<T, float>)
    if (frames.size() == 1 && frames.front().samples.shape() == shape)
      samples = std::move(frames.front().samples);
  if (samples.empty()) {
    samples = Array<C>(shape);
    C* out = samples.data();
    for (const PreparedImage& frame : frames)
      out = std::transform(frame.samples.begin(), frame.samples.end(), out,
                           [](std::complex<float> value) { return C(value); });
  }
  frames.clear();
  samples = moved_to(ctx.device(), std::move(samples), placement);
  if (roots.empty()) return samples;
  Index first = 0;
  for (const Index count : columns) {
    weigh_rows<T>(samples.data() + rows * first, rows, roots.view().slices(first, count), ctx);
    first += count;
  }
  return samples;
}

// Without weights: 1 for each sample.
double total_weight(View<const double> weights, Index samples) {
  return weights.size() > 0 ? std::accumulate(weights.begin(), weights.end(), 0.0)
                            : static_cast<double>(samples);
}

// √d of every sample, in the order of joined_samples().
template <typename T>
Array<T> joined_root_density(const std::vector<PreparedImage>& frames, Index coils, const Shape& shape) {
  const Array<T> roots = roots_of<T>(frames);
  if (roots.empty()) return {};
  Array<T> result(shape);
  T* out = result.data();
  const T* of_frame = roots.data();
  for (const PreparedImage& frame : frames) {
    for (Index c = 0; c < coils; ++c) out = std::copy_n(of_frame, frame.weights.size(), out);
    of_frame += frame.weights.size();
  }
  return result;
}

// Σ_c |m_c|², made on the context's device.
template <typename T>
Array<double> map_energy(const CoilMaps<T>& maps, Context& ctx) {
  const Array<std::complex<T>> sum = moved_to(Device::cpu(), maps.adjoint(maps.maps(), ctx));
  Array<double> energy(sum.shape());
  std::transform(sum.begin(), sum.end(), energy.begin(),
                 [](std::complex<T> e) { return static_cast<double>(e.real()); });
  return energy;
}

template <typename T>
Array<double> energy_of_sets(const std::vector<CoilMaps<T>>& sets, Context& ctx) {
  if (sets.size() == 1) return map_energy(sets.front(), ctx);
  Array<double> all(sets.front().domain().prepend(static_cast<Index>(sets.size())));
  double* out = all.data();
  for (const CoilMaps<T>& maps : sets) {
    const Array<double> energy = map_energy(maps, ctx);
    out = std::copy(energy.begin(), energy.end(), out);
  }
  return all;
}

// Transforms of frames; frames with the same trajectory and density share a transform and its point-spread
// function.
template <typename T>
std::vector<Nufft<T>> transforms_of(const std::vector<PreparedImage>& frames, const Shape& image,
                                    const NufftOptions& options, Context& ctx) {
  const auto equal = [](const Array<double>& a, const Array<double>& b) {
    return a.shape() == b.shape() && std::equal(a.begin(), a.end(), b.begin());
  };
  std::vector<Nufft<T>> result;
  for (const PreparedImage& frame : frames) {
    const auto same = std::find_if(
        frames.begin(), frames.begin() + static_cast<Index>(result.size()), [&](const PreparedImage& other) {
          return equal(other.trajectory, frame.trajectory) && equal(other.weights, frame.weights);
        });
    const auto place = static_cast<std::size_t>(same - frames.begin());
    result.push_back(place < result.size() ? result[place]
                                           : Nufft<T>(frame.trajectory, frame.weights, image, options, ctx));
  }
  return result;
}

// The factors in front of the transform, for one coefficient: from the unknowns to (segment and) coil images.
template <typename T>
std::vector<Operator<T>> coil_factors(const std::vector<CoilMaps<T>>& sets, Index coils,
                                      const std::optional<CoilMaps<T>>& segments, Context& ctx) {
  if (sets.empty()) {
    if (!segments) return {};
    // The image of each single coil goes through all segments.
    const Shape& of_segments = segments->codomain();
    Array<std::complex<T>> repeated(of_segments.drop_front(1).prepend(coils).prepend(of_segments[0]),
                                    ctx.device());
    for (Index s = 0; s < of_segments[0]; ++s)
      for (Index c = 0; c < coils; ++c)
        copy<T>(segments->maps().slice(s), repeated.view().slice(s).slice(c), ctx);
    return {CoilMaps<T>(std::move(repeated)).share()};
  }
  const auto of_set = [&](const CoilMaps<T>& maps) -> std::vector<Operator<T>> {
    if (!segments) return {maps.share()};
    return {Batched<T>(maps, segments->codomain()[0]).share(), segments->share()};
  };
  if (sets.size() == 1) return of_set(sets.front());
  std::vector<Operator<T>> columns;
  for (const CoilMaps<T>& maps : sets) columns.push_back(Composition<T>(of_set(maps)).share());
  return {HStack<T>(std::move(columns)).share()};
}

// True if a transform mixes several images (coefficients or segments), in front of coil maps.
template <typename T>
Operator<T> mixed_model(const BasisNufft<T>& transform, const std::vector<CoilMaps<T>>& sets, Index coils,
                        Index coefficients, const std::optional<CoilMaps<T>>& segments, Context& ctx) {
  std::vector<Operator<T>> factors{transform.share()};
  for (const auto& factor : coil_factors(sets, coils, segments, ctx))
    factors.push_back(coefficients > 0 ? Operator<T>(Batched<T>(factor, coefficients)) : factor);
  return factors.size() == 1 ? factors.front() : Operator<T>(Composition<T>(factors));
}

// Position of the frames' samples among those of the whole problem: [frames][coils][samples of the frame].
std::vector<SampleRun> runs_of(const std::vector<PreparedImage>& frames, Index coils,
                               const PartOfProblem& part) {
  const Index all_coils = std::max(coils, part.all_coils);
  std::vector<SampleRun> runs;
  Index before = 0;
  for (const PreparedImage& frame : frames) {
    const Index samples = frame.trajectory.shape()[0];
    runs.push_back({before + part.coils_before * samples, coils * samples});
    before += all_coils * samples;
  }
  return runs;
}

// Builds the models of frames, with or without a basis or a field map.
template <typename T>
class Builder {
 public:
  Builder(const Shape& image, const std::vector<CoilMaps<T>>& sets, Index coils, const SeriesOptions& options,
          Context& ctx)
      : image_(image),
        sets_(sets),
        coils_(coils),
        options_(options),
        nufft_(options.nufft),
        segments_(options.segments),
        placement_(options.coil_block > 0 ? Placement::host : Placement::device),
        ctx_(ctx) {
    at_a_time_ = options.coil_block > 0 ? options.coil_block : coils;
    const Index all_coils = options.part.all_coils;
    nufft_.batch = options.coil_block == 0 && all_coils > 0 ? all_coils : at_a_time_;
    if (segments_) segment_maps_ = segment_images<T>(segments_->segments, ctx);
  }

  const NufftOptions& nufft() const { return nufft_; }
  // A frame with bands also mixes several images.
  bool mixes(const PreparedImage& frame) const { return segments_ || options_.basis || !frame.bands.empty(); }

  OperatorPtr<T> of_transform(const Nufft<T>& transform) const {
    if (sets_.empty()) return transform.share();
    if (options_.coil_block == 0) return sense_model<T>(transform.with_batch(coils_), sets_).share();
    return sense_model_in_blocks<T>(transform, sets_, options_.coil_block, placement_).share();
  }

  // `first`: position of the samples among those of all frames.
  OperatorPtr<T> of_frame(const PreparedImage& frame, Index first) const {
    if (!frame.bands.empty()) return of_rows(frame.trajectory, frame.weights, frame.bands, 0, true);
    const auto rows = segments_->segments.basis.view().slices(first, frame.trajectory.shape()[0]);
    return of_rows(frame.trajectory, frame.weights, rows, 0);
  }

  OperatorPtr<T> of_basis(const std::vector<PreparedImage>& frames) const {
    const PreparedImage all = joined_frames(frames);
    std::vector<Index> echo;
    for (std::size_t e = 0; e < frames.size(); ++e)
      echo.insert(echo.end(), static_cast<std::size_t>(frames[e].trajectory.shape()[0]),
                  static_cast<Index>(e));
    const auto rows =
        rows_of_samples(*options_.basis, echo);  // NOLINT(clang-analyzer-core.NonNullParamChecker)
    return of_rows(all.trajectory, all.weights,
                   segments_ ? product_basis(rows, segments_->segments.basis) : clone(rows), rows.shape()[1]);
  }

 private:
  OperatorPtr<T> of_rows(View<const double> trajectory, View<const double> density,
                         View<const std::complex<double>> rows, Index coefficients,
                         bool bands = false) const {
    NufftOptions nufft = nufft_;
    nufft.batch = std::min(at_a_time_, coils_);
    const BasisNufft<T> transform(trajectory, density, rows, image_, nufft, ctx_);
    const auto of_coils = [&](const std::vector<CoilMaps<T>>& sets) -> Operator<T> {
      if (bands) return multiband_model<T>(transform, sets);
      return mixed_model<T>(transform, sets, coils_, coefficients, segment_maps_, ctx_);
    };
    if (sets_.empty() || options_.coil_block == 0) return of_coils(sets_);
    return in_coil_blocks<T>(sets_, nufft.batch, placement_,
                             [&](const std::vector<CoilMaps<T>>& part, Index) { return of_coils(part); });
  }

  const Shape& image_;
  const std::vector<CoilMaps<T>>& sets_;
  Index coils_;
  const SeriesOptions& options_;
  NufftOptions nufft_;
  Index at_a_time_ = 0;  // coils
  const FrameSegments* segments_;
  std::optional<CoilMaps<T>> segment_maps_;
  Placement placement_;
  Context& ctx_;
};

}  // namespace

FrameSegments segments_of_frames(const std::vector<PreparedImage>& frames, const FieldMap& field,
                                 const SegmentOptions& options, Context& ctx) {
  Index total = 0;
  for (const PreparedImage& frame : frames) total += frame.times.size();
  Array<double> times({total});
  double* out = times.data();
  for (const PreparedImage& frame : frames) out = std::copy(frame.times.begin(), frame.times.end(), out);
  FrameSegments result{time_segments(field, times, options, ctx), {}};
  result.error = segment_error(result.segments, field, times);
  return result;
}

template <typename T>
SeriesProblem<T> series_problem(std::vector<PreparedImage> frames, const Shape& shape, const Shape& image,
                                const std::vector<CoilMaps<T>>& sets, const SeriesOptions& options,
                                Context& ctx, const std::vector<Nufft<T>>& transforms) {
  const Index coils = sets.empty() ? frames.at(0).samples.shape()[0] : sets.front().codomain()[0];
  check_frames(frames, shape, image.prepend(coils), static_cast<Index>(sets.size()), options);
  SeriesProblem<T> problem;
  const bool single = shape.rank() == 0;
  const Builder<T> builder(image, sets, coils, options, ctx);
  const bool mixes = builder.mixes(frames.front());
  if (!mixes)
    problem.transforms =
        transforms.empty() ? transforms_of<T>(frames, image, builder.nufft(), ctx) : transforms;
  if (options.basis) {
    problem.model = builder.of_basis(frames);
    // One transform for all frames: coils are the outer axis, frames the inner one.
    PreparedImage all = joined_frames(frames);
    frames.clear();
    frames.push_back(std::move(all));
  } else {
    std::vector<Operator<T>> models;
    Index first = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      models.push_back(mixes ? builder.of_frame(frames[f], first)
                             : builder.of_transform(problem.transforms[f]));
      first += frames[f].trajectory.shape()[0];
    }
    problem.model = single ? models.front().share() : series_model<T>(models, shape).share();
  }
  problem.runs = runs_of(frames, coils, options.part);
  if (options.keep_map_energy) problem.map_energy = energy_of_sets<T>(sets, ctx);
  const Shape& codomain = problem.model->codomain();
  for (const PreparedImage& frame : frames)
    problem.weight += static_cast<double>(coils) * total_weight(frame.weights, frame.trajectory.shape()[0]);
  if (options.keep_root_density) problem.root_density = joined_root_density<T>(frames, coils, codomain);
  problem.samples = joined_samples<T>(std::move(frames), codomain,
                                      options.coil_block > 0 ? Placement::host : Placement::device, ctx);
  return problem;
}

#define LARMOR_INSTANTIATE(T)                                                                         \
  template SeriesProblem<T> series_problem<T>(std::vector<PreparedImage>, const Shape&, const Shape&, \
                                              const std::vector<CoilMaps<T>>&, const SeriesOptions&,  \
                                              Context&, const std::vector<Nufft<T>>&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
