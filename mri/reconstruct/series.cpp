#include <larmor/core/format_error.hpp>
#include <larmor/mri/model/series.hpp>
#include <larmor/mri/reconstruct/image_solver.hpp>
#include <larmor/mri/reconstruct/series.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>
#include <larmor/operators/nufft/basis_nufft.hpp>
#include <larmor/operators/nufft/toeplitz/matrix_toeplitz.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace larmor {
namespace {

// Samples at which the achieved error of the NUFFT is measured.
constexpr Index error_targets = 300;

bool has_frame_term(const ReconstructOptions& options) {
  return std::any_of(options.regularizers.begin(), options.regularizers.end(),
                     [](const RegularizerSpec& spec) { return find_regularizer(spec.name).needs_frames; });
}

void refuse_other_options(const ScanPlan& plan, const ReconstructOptions& options) {
  const auto refuse = [](const char* option) {
    throw usage_error("{} is for single images, not for series, subspaces and field maps: leave it out",
                      option);
  };
  if (options.solver == SolverKind::gridding) refuse("--solver gridding");
  if (options.combine != Combine::sense) refuse("--combine");
  if (options.replicas > 0) refuse("--replicas");
  if (options.map_sets > 1) refuse("--sets");
  if (decide_density(plan, options) != DensityKind::none) refuse("--density");
  if (options.tune.level != TuneLevel::estimate) refuse("--tune");
}

/// Solves one series after the other: those of the slices, or single images with a field map.
template <typename T>
class SeriesPipeline {
 public:
  using C = std::complex<T>;

  SeriesPipeline(Scan scan, const ReconstructOptions& options, Reconstruction& result, StageClock& clock,
                 Context& ctx)
      : scan_(std::move(scan)),
        options_(options),
        plan_(result.plan),
        channels_(result.channels),
        images_(result.series),
        report_(result.report),
        clock_(clock),
        ctx_(ctx),
        host_(ctx.host()) {
    SeriesChoice choice;
    choice.window = options.window;
    choice.bins = options.bins;
    choice.join_images = options.basis.size() > 0 || has_frame_term(options);
    series_ = plan_series(plan_, choice);
    for (const PlannedSeries& series : series_) samples_.push_back(samples_of(series));
    normal_options_.toeplitz = toeplitz_of(options);
    // Power iterations for ‖A‖² come on top of the solver's.
    normal_options_.expected_applies = static_cast<int>(std::min<Index>(iterations_of(options), 10000)) +
                                       (options.regularizers.empty() ? 0 : 10);
    transform_.tolerance = toeplitz_of(options) == NormalOptions::Toeplitz::off
                               ? options.nufft_tolerance
                               : once_used_tolerance(options.nufft_tolerance);
    if (!ctx.on_gpu()) {
      scan_bytes_ = scan_.data.capacity() * sizeof(scan_.data[0]) +
                    scan_.trajectory.capacity() * sizeof(scan_.trajectory[0]);
      process_ = resident_bytes();
      process_ -= std::min(process_, scan_bytes_);
    }
  }

  /// `bytes`: of a scan of which only the readouts' headers are here.
  SeriesPreview preview(std::size_t bytes) {
    if (!ctx_.on_gpu()) scan_bytes_ = bytes;
    describe_series();
    SeriesPreview result{report_.series, static_cast<Index>(series_.size()), memory_of_largest()};
    result.memory.require(ctx_.memory_limit());
    return result;
  }

  void run() {
    describe_series();
    report_.memory = memory_of_largest();
    report_.memory.require(ctx_.memory_limit());
    ctx_.reporter().note("memory estimate " + format_bytes(report_.memory.total()));
    double scale = 0;
    for (std::size_t s = 0; s < series_.size(); ++s) prepare_solver(s);
    if (solver_->needs_scale() && series_.size() > 1) scale = common_scale();
    for (std::size_t s = 0; s < series_.size(); ++s) {
      ctx_.throw_if_cancelled();
      solve(s, scale);
      if (series_.size() > 1)
        ctx_.reporter().progress("series", static_cast<Index>(s) + 1, static_cast<Index>(series_.size()), "");
    }
    report_.solver = to_string(solver_->solver());
    report_.regularizers = solver_->terms();
    report_.lambda_choice = solver_->lambda_choice();
    report_.density = to_string(DensityKind::none);
  }

 private:
  static Index frames_of(const PlannedSeries& series) { return series.shape.size(); }

  // Orthonormal; its length is that of the series.
  std::optional<SubspaceBasis> basis_of(const PlannedSeries& series) const {
    if (options_.basis.size() == 0) return std::nullopt;
    return given_subspace(options_.basis, frames_of(series));
  }

  // The unknowns of a series.
  Shape unknowns(const PlannedSeries& series) const {
    Shape shape = plan_.grids.solve_shape();
    if (const auto basis = basis_of(series)) return shape.prepend(basis->vectors.shape()[1]);
    for (int axis = series.shape.rank() - 1; axis >= 0; --axis) shape = shape.prepend(series.shape[axis]);
    return shape;
  }

  void describe_series() {
    SeriesSummary& summary = report_.series;
    if (series_.front().shape.rank() > 0) summary.frames = frames_of(series_.front());
    if (const auto basis = basis_of(series_.front())) summary.coefficients = basis->vectors.shape()[1];
    for (const PlannedSeries& series : series_) {
      if (frames_of(series) > std::numeric_limits<std::uint16_t>::max())
        throw usage_error("{} frames, more than images can be numbered: use a larger step",
                          frames_of(series));
      if (series.frames) summary.unused += series.frames->unused;
    }
    if (summary.frames > 0)
      ctx_.reporter().note(fmt::format(
          "series: {} frames{}{}", summary.frames,
          series_.size() > 1 ? fmt::format(", first of {} series", series_.size()) : "",
          summary.coefficients > 0 ? fmt::format(", {} coefficients", summary.coefficients) : ""));
    if (summary.unused > 0)
      ctx_.reporter().note(fmt::format("{} readouts belong to no frame", summary.unused));
  }

  void prepare_solver(std::size_t index) {
    const ImageLayout layout{unknowns(series_[index]), plan_.dims};
    if (!solver_ || !(solver_shape_ == layout.shape)) {
      solver_.emplace(options_, layout, plan_.grids, static_cast<Index>(series_.size()), ctx_);
      solver_shape_ = layout.shape;
    }
    solver_->select(static_cast<Index>(index));
  }

  const CoilMaps<T>& maps_of(std::uint16_t slice) {
    const auto found = maps_.find(slice);
    if (found != maps_.end()) return found->second;
    const auto& maps =
        maps_
            .emplace(slice,
                     slice_maps_of_data<T>(scan_, plan_, channels_, slice, options_, nullptr, ctx_).front())
            .first->second;
    clock_.charge("calibrate");
    return maps;
  }

  // Where there is no coil sensitivity there is no object, and field maps are noise.
  FieldArrays field_of(std::uint16_t slice, const CoilMaps<T>& maps) const {
    const auto slices = slices_of(plan_);
    const auto position = std::find(slices.begin(), slices.end(), slice) - slices.begin();
    FieldArrays field = field_on_solve_grid({options_.field_map, options_.field_decay, options_.field_weight},
                                            plan_.grids, static_cast<Index>(slices.size()), position);
    const auto sensitivities = copied_to(Device::cpu(), maps.maps());
    const Index pixels = field.frequency.size();
    auto weight = field.weight.empty() ? filled<float>(field.frequency.shape(), 1) : clone(field.weight);
    for (Index p = 0; p < pixels; ++p) {
      bool inside = false;
      for (Index c = 0; c < sensitivities.shape()[0] && !inside; ++c)
        inside = sensitivities[c * pixels + p] != C(0);
      if (!inside) weight[p] = 0;
    }
    if (std::any_of(weight.begin(), weight.end(), [](float w) { return w > 0; }))
      field.weight = std::move(weight);
    return field;
  }

  SeriesProblem<T> problem_of(std::size_t index, bool last) {
    const PlannedSeries& series = series_[index];
    const CoilMaps<T>& maps = maps_of(series.slice);
    auto frames = load_series(scan_, plan_, channels_, series, host_);
    if (last) {
      images_.ismrmrd_header = std::move(scan_.xml_header);
      scan_ = Scan{};
    }
    for (PreparedImage& frame : frames) frame.weights = {};  // the objective's density is 1
    clock_.charge("prepare");
    SeriesOptions options;
    options.nufft = transform_;
    const auto basis = basis_of(series);
    if (basis) options.basis = &*basis;
    FieldArrays arrays;
    FieldMap field;
    if (options_.field_map.size() > 0) {
      arrays = field_of(series.slice, maps);
      field = arrays.view();
      options.field = &field;
      options.segments.accuracy = options_.nufft_tolerance;
    }
    if (options_.geometric_compression) options.geometric_coils = options_.prepare.virtual_coils;
    SeriesProblem<T> problem = series_problem(frames, series.shape, maps, options, ctx_);
    if (report_.nufft_kernel_width == 0) describe_transform(frames.front());
    return problem;
  }

  // max|Aᴴy| over all series, so that one λ weighs equally in all of them.
  double common_scale() {
    double scale = 0;
    for (std::size_t s = 0; s < series_.size(); ++s) {
      ctx_.throw_if_cancelled();
      const SeriesProblem<T> problem = problem_of(s, false);
      scale = std::max(scale, max_magnitude<T>(problem.model->adjoint(problem.samples, ctx_), ctx_));
    }
    clock_.charge("setup");
    return scale;
  }

  void solve(std::size_t index, double scale) {
    const PlannedSeries& series = series_[index];
    prepare_solver(index);
    SeriesProblem<T> problem = problem_of(index, index + 1 == series_.size());
    note_segments(problem.report, index);
    if (options_.geometric_compression)
      ctx_.reporter().note(fmt::format("{} coils compressed to {} slice by slice", channels_.coils,
                                       options_.prepare.virtual_coils));
    Array<C> x = problem.model->adjoint(problem.samples, ctx_);
    typename ImageSolver<T>::Data data;
    if (solver_->needs_data())
      data = solver_->data_of(*problem.model, problem.samples, channels_.whitened ? 1 : 0);
    if (solver_->needs_samples()) {
      data.model = problem.model.get();
      data.y = std::move(problem.samples);
    }
    problem.samples = {};
    ctx_.arena().release();
    const OperatorPtr<T> normal = problem.model->normal(normal_options_, ctx_);
    if (!data.model) problem.model.reset();
    normal->reserve(ctx_);
    if (report_.normal_operator.empty()) {
      report_.normal_operator = describe(*normal);
      report_.toeplitz = report_.normal_operator.find("Toeplitz") != std::string::npos;
    }
    clock_.charge("setup");
    ImageReport report;
    report.counters = plan_.images[series.images.front()].counters;
    report.trajectory_id = plan_.images[series.images.front()].trajectory_id;
    for (const std::size_t image : series.images) {
      report.samples += plan_.images[image].samples;
      report.dropped += plan_.images[image].dropped;
    }
    solver_->forget_norm();
    x = solver_->solve(*normal, std::move(x), data, scale, report);
    report_.images.push_back(std::move(report));
    clock_.charge("iterate");
    ctx_.arena().release();
    store(series, moved_to(Device::cpu(), std::move(x)));
  }

  void note_segments(const SeriesReport& found, std::size_t index) {
    if (found.segments == 0) return;
    SeriesSummary& summary = report_.series;
    summary.segments = std::max(summary.segments, found.segments);
    summary.segment_error = std::max(summary.segment_error, found.segment_error.rms);
    ctx_.reporter().note(fmt::format("field map: {} segments about {:.1f} Hz, error {:.1e} measured",
                                     found.segments, found.centre_hz, found.segment_error.rms));
    // Their number is known only now.
    MemoryPlan needed = memory_of(index, found.segments);
    needed.require(ctx_.memory_limit());
    if (needed.total() > report_.memory.total()) report_.memory = std::move(needed);
  }

  // Images of windows are repetitions, of bins phases, of a basis sets; others keep their counters.
  void store(const PlannedSeries& series, const Array<C>& x) {
    const Shape pixels = plan_.grids.solve_shape();
    const Index count = x.size() / pixels.size();
    for (Index i = 0; i < count; ++i) {
      const bool own = !series.frames && options_.basis.size() == 0;
      const PlannedImage& planned = plan_.images[series.images[own ? static_cast<std::size_t>(i) : 0]];
      Image& image = images_.images.emplace_back();
      const View<const C> part(x.data() + i * pixels.size(), pixels, x.device());
      image.pixels = image_pixels<T>(part, plan_.grids, false);
      image.geometry = planned.geometry;
      image.counters = planned.counters;
      image.acquisition_time_stamp = planned.acquisition_time_stamp;
      if (own) continue;
      const auto number = static_cast<std::uint16_t>(i);
      if (options_.basis.size() > 0)
        image.counters.set = number;
      else if (options_.window)
        image.counters.repetition = number;
      else
        image.counters.phase = number;
    }
  }

  void describe_transform(const PreparedImage& frame) {
    const Nufft<T> nufft(frame.trajectory, plan_.grids.solve_shape(), transform_, ctx_);
    report_.nufft_tolerance = options_.nufft_tolerance;
    report_.nufft_oversampling = nufft.oversampling();
    report_.nufft_kernel_width = nufft.kernel_width();
    report_.nufft_error_measured = nufft.measured_error(ctx_, error_targets);
  }

  Index samples_of(const PlannedSeries& series) const {
    Index samples = 0, longest = 0;
    for (const std::size_t i : series.images) {
      samples += plan_.images[i].samples;
      for (const std::size_t r : plan_.images[i].readouts)
        longest = std::max(longest, kept_samples(scan_.readouts[r].header));
    }
    if (!series.frames) return samples;
    Index readouts = 0;
    for (const auto& frame : series.frames->readouts) readouts += static_cast<Index>(frame.size());
    return std::max(samples, readouts * longest);
  }

  // A bound: what one series holds at any time, as if all at once. Of a field map, whose number of segments
  // is not known before it is taken apart, without the tables while `segments` is 0.
  MemoryPlan memory_of(std::size_t index, Index segments) const {
    const PlannedSeries& series = series_[index];
    const Shape pixels = plan_.grids.solve_shape();
    const auto image = static_cast<std::size_t>(pixels.size()) * sizeof(C);
    const auto coils = static_cast<std::size_t>(channels_.coils);
    const Shape shape = unknowns(series);
    const auto unknown = static_cast<std::size_t>(shape.size()) * sizeof(C);
    MemoryPlan plan;
    plan.add("process", process_);
    plan.add("scan", scan_bytes_);
    plan.add("coil maps", image * coils * slices_of(plan_).size());
    plan.add("finished images", static_cast<std::size_t>(plan_.grids.recon_shape().size()) *
                                    sizeof(std::complex<float>) * series_.size() *
                                    static_cast<std::size_t>(shape.size() / pixels.size()));
    const double images = solver_images(options_, {shape, plan_.dims}) + 1;
    plan.add("solver images", static_cast<std::size_t>(images * static_cast<double>(unknown)));
    const Index count = samples_[index];
    const auto samples = static_cast<std::size_t>(count);
    // Loaded, joined and split, then as the model has them.
    plan.add("samples", samples * coils * (3 * sizeof(std::complex<float>) + sizeof(C)));
    plan.add("trajectory", 3 * samples * static_cast<std::size_t>(plan_.dims + 1) * sizeof(double));
    plan.add("coil images", image * coils);
    const Index terms = (report_.series.coefficients > 0 ? shape[0] : 1) * std::max<Index>(segments, 1);
    NufftOptions transform = transform_;
    transform.batch = channels_.coils;
    const bool mixed = report_.series.coefficients > 0 || options_.field_map.size() > 0;
    plan.add("transform tables", mixed ? BasisNufft<T>::table_bytes(pixels, count, terms, transform, ctx_)
                                       : Nufft<T>::table_bytes(pixels, count, transform, false, ctx_));
    plan.add("transform grid", mixed ? BasisNufft<T>::scratch_bytes(pixels, count, terms, transform, ctx_)
                                     : Nufft<T>::scratch_bytes(pixels, count, transform, ctx_));
    return with_tables(std::move(plan), series, segments);
  }

  MemoryPlan with_tables(MemoryPlan plan, const PlannedSeries& series, Index segments) const {
    if (toeplitz_of(options_) == NormalOptions::Toeplitz::off) return plan;
    const Shape pixels = plan_.grids.solve_shape();
    const bool field = options_.field_map.size() > 0;
    if (field && segments == 0) return plan;
    const auto basis = basis_of(series);
    const auto tables = static_cast<std::size_t>(basis ? 1 : frames_of(series));
    const Index terms = (basis ? basis->vectors.shape()[1] : 1) * std::max<Index>(segments, 1);
    if (basis || field) {
      const bool complex = basis && std::any_of(basis->vectors.begin(), basis->vectors.end(),
                                                [](const auto& value) { return value.imag() != 0; });
      plan.add("point-spread functions",
               tables * MatrixToeplitz<T>::table_bytes(pixels, terms, complex, ctx_));
      plan.add("convolution grid", MatrixToeplitz<T>::scratch_bytes(pixels, terms, channels_.coils, ctx_));
    } else {
      plan.add("point-spread functions", tables * Toeplitz<T>::table_bytes(pixels, ctx_));
      plan.add("convolution grid",
               Toeplitz<T>::scratch_bytes(pixels, channels_.coils, ToeplitzForm::padded, ctx_));
    }
    return plan;
  }

  MemoryPlan memory_of_largest() const {
    MemoryPlan largest;
    for (std::size_t s = 0; s < series_.size(); ++s) {
      MemoryPlan plan = memory_of(s, 0);
      if (plan.total() > largest.total()) largest = std::move(plan);
    }
    return largest;
  }

  Scan scan_;
  const ReconstructOptions& options_;
  const ScanPlan& plan_;
  const ChannelPlan& channels_;
  ImageSeries& images_;
  ReconstructionReport& report_;
  StageClock& clock_;
  Context& ctx_;
  Context host_;  // where readouts become samples
  std::vector<PlannedSeries> series_;
  std::vector<Index> samples_;  // of each, of one coil
  NormalOptions normal_options_;
  NufftOptions transform_;
  std::map<std::uint16_t, CoilMaps<T>> maps_;  // by slice, in the channels of the data
  std::optional<ImageSolver<T>> solver_;
  Shape solver_shape_;
  std::size_t scan_bytes_ = 0, process_ = 0;
};

}  // namespace

bool wants_series(const ScanPlan& plan, const ReconstructOptions& options) {
  if (options.geometric_compression) return true;
  if (options.window || options.bins.size() > 0 || options.basis.size() > 0 || options.field_map.size() > 0)
    return true;
  return has_frame_term(options) && plan.images.size() > slices_of(plan).size();
}

SeriesPreview preview_series(const Scan& scan, const ScanPlan& plan, const ReconstructOptions& options,
                             Context& ctx) {
  refuse_other_options(plan, options);
  Reconstruction result;
  result.plan = plan;
  result.channels.coils = plan.options.virtual_coils > 0 && !options.geometric_compression
                              ? plan.options.virtual_coils
                              : plan.channels;
  StageClock clock(result.report);
  Scan headers;
  headers.readouts = scan.readouts;
  const std::size_t bytes =
      scan.data.size() * sizeof(scan.data[0]) + scan.trajectory.size() * sizeof(scan.trajectory[0]);
  if (options.precision == Precision::single_precision)
    return SeriesPipeline<float>(std::move(headers), options, result, clock, ctx).preview(bytes);
  return SeriesPipeline<double>(std::move(headers), options, result, clock, ctx).preview(bytes);
}

void reconstruct_series(Scan scan, const ReconstructOptions& options, Reconstruction& result,
                        StageClock& clock, Context& ctx) {
  refuse_other_options(result.plan, options);
  if (options.precision == Precision::single_precision)
    SeriesPipeline<float>(std::move(scan), options, result, clock, ctx).run();
  else
    SeriesPipeline<double>(std::move(scan), options, result, clock, ctx).run();
}

}  // namespace larmor
