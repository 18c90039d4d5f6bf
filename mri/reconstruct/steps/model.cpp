#include <larmor/core/format_error.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/model.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include <algorithm>

namespace LARMOR_API larmor {
namespace {

// Samples at which the achieved error of the NUFFT is measured.
constexpr Index error_targets = 300;

// The options of the fastest transform for this trajectory, according to the requested tuning.
template <typename T>
NufftOptions tuned(const PreparedImage& frame, const ModelInput& input, const NufftOptions& base, bool mixes,
                   SharedParts<T>& shared, Context& ctx) {
  // Trajectories of one scan with equal numbers of samples differ little.
  const Index samples = frame.trajectory.shape()[0];
  if (const auto known = shared.tuned.find(samples); known != shared.tuned.end()) return known->second;
  TuneOptions tune = input.options.transform.tune;
  // Images, maps and the normal operator's tables also need memory.
  if (tune.bytes == 0) tune.bytes = ctx.memory_limit() / 4;
  if (mixes) tune.method = NufftMethod::gridding;
  const auto trajectory = copied_to(ctx.device(), frame.trajectory);
  const Shape image = input.selection.plan.grids.solve_shape();
  const TuneResult result = tune_nufft<T>(trajectory, image, base, tune, ctx);
  ctx.reporter().note(fmt::format(
      "tuned: {} at oversampling {:.3f}, width {}, {}", to_string(result.chosen.method),
      result.chosen.oversampling, result.chosen.width,
      result.from_wisdom ? "from wisdom"
                         : fmt::format("{} measured in {:.1f} s", result.trials.size(), result.seconds)));
  return shared.tuned.insert_or_assign(samples, result.options).first->second;
}

NufftOptions transform_options(const MemoryDecision& memory, Index coils) {
  return {.tolerance = memory.nufft_tolerance,
          .batch = memory.coil_block > 0 ? memory.coil_block : coils,
          .small_grid = memory.small_grid};
}

template <typename T>
void describe_transform(const Nufft<T>& transform, double asked, ReconstructionReport& report, Context& ctx) {
  report.transform.tolerance = asked;
  report.transform.oversampling = transform.oversampling();
  report.transform.kernel_width = transform.kernel_width();
  report.transform.error_measured = transform.measured_error(ctx, error_targets);
  ctx.reporter().note(fmt::format("NUFFT error {:.1e} measured, {:.1e} requested",
                                  report.transform.error_measured, report.transform.tolerance));
}

void note_segments(const FrameSegments& found, SeriesSummary& summary, Context& ctx) {
  summary.segments = std::max(summary.segments, found.segments.count());
  summary.segment_error = std::max(summary.segment_error, found.error.rms);
  ctx.reporter().note(fmt::format("field map: {} segments about {:.1f} Hz, error {:.1e} measured",
                                  found.segments.count(), found.segments.centre_hz, found.error.rms));
}

template <typename T>
FieldArrays field_of(const ModelInput& input, const std::vector<CoilMaps<T>>& sets) {
  const auto slices = slices_of(input.selection.plan);
  const auto position = std::find(slices.begin(), slices.end(), input.problem.series.slice) - slices.begin();
  FieldArrays field = field_on_solve_grid(input.options.field, input.selection.plan.grids,
                                          static_cast<Index>(slices.size()), position);
  if (sets.empty()) return field;
  const auto all = copied_to(Device::cpu(), sets.front().maps());
  return masked<T>(std::move(field), all);
}

// Noise is generated, or estimated, with the weights of the samples.
bool needs_root_density(const ModelInput& input) {
  const ReconstructOptions& options = input.options;
  return options.output.replicas > 0 || !(input.selection.channels.noise_variance > 0) ||
         finds_lambda(options.solve);
}

}  // namespace

template <typename T>
SeriesProblem<T> model_problem(const ModelInput& input, std::vector<PreparedImage> frames,
                               MemoryDecision& memory, SharedParts<T>& shared, ReconstructionReport& report,
                               Context& ctx) {
  const ReconstructOptions& options = input.options;
  const PlannedProblem& problem = input.problem;
  const Index coils = input.selection.channels.coils;
  const Shape image = input.selection.plan.grids.solve_shape();
  static const std::vector<CoilMaps<T>> none;
  const auto found = shared.maps.find(problem.maps);
  const bool sense = found != shared.maps.end();
  const std::vector<CoilMaps<T>>& sets = sense ? found->second : none;

  SeriesOptions series;
  series.basis = problem.basis.get();
  std::optional<FrameSegments> segments;
  if (options.field.frequency.size() > 0) {
    const FieldArrays field = field_of(input, sets);
    series.segments = &segments.emplace(
        segments_of_frames(frames, field.view(), {.accuracy = options.transform.tolerance}, ctx));
    note_segments(*segments, report.series, ctx);
    memory.segments = segments->segments.count();
    memory = decide_memory(input.scan, input.selection.plan, input.list, coils, options, ctx, &memory);
    if (memory.plan.total() > report.memory.plan.total()) report.memory.plan = memory.plan;
    report.memory.coil_block = memory.coil_block;
    report.memory.placement = memory.placement();
    if (sense && ctx.on_gpu())
      for (CoilMaps<T>& maps : found->second)
        if (maps.placement() != memory.placement())
          maps = CoilMaps<T>(copied_to(ctx.device(), maps.maps(), memory.placement()));
  }
  const bool mixes = series.segments || series.basis || input.selection.plan.bands.several();
  series.nufft = transform_options(memory, coils);
  if (options.transform.tune.level != TuneLevel::estimate && !memory.small_grid)
    series.nufft = tuned<T>(frames.front(), input, series.nufft, mixes, shared, ctx);
  series.coil_block = memory.coil_block;
  series.part = input.part;
  series.keep_root_density = needs_root_density(input);
  // A prior also determines pixels that no coil sees.
  series.keep_map_energy = sense && (options.solve.gridding || options.solve.automatic ||
                                     !(all_quadratic(options.solve) || !options.solve.priors.empty()));

  if (report.transform.kernel_width == 0 && mixes) {
    NufftOptions one = series.nufft;
    one.batch = 0;
    describe_transform(Nufft<T>(frames.front().trajectory, image, one, ctx), options.transform.tolerance,
                       report, ctx);
  }
  SeriesProblem<T> model =
      series_problem<T>(std::move(frames), problem.series.shape, image, sets, series, ctx, shared.transforms);
  if (report.transform.kernel_width == 0)
    describe_transform(model.transforms.front(), options.transform.tolerance, report, ctx);
  shared.transforms = model.transforms;
  return model;
}

template <typename T>
std::pair<OperatorPtr<T>, bool> normal_of(const LinearOperator<T>& model, const PlannedProblem& problem,
                                          const MemoryDecision& memory, SharedParts<T>& shared,
                                          Context& ctx) {
  if (shared.normal && shared.normal_key == problem.normal()) return {shared.normal, false};
  shared.normal.reset();
  ctx.arena().release();
  shared.normal = model.normal(memory.normal, ctx);
  shared.normal_key = problem.normal();
  return {shared.normal, true};
}

#define LARMOR_INSTANTIATE(T)                                                                                \
  template SeriesProblem<T> model_problem<T>(const ModelInput&, std::vector<PreparedImage>, MemoryDecision&, \
                                             SharedParts<T>&, ReconstructionReport&, Context&);              \
  template std::pair<OperatorPtr<T>, bool> normal_of<T>(const LinearOperator<T>&, const PlannedProblem&,     \
                                                        const MemoryDecision&, SharedParts<T>&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
