#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/reconstruct/image_solver.hpp>
#include <larmor/mri/reconstruct/series.hpp>
#include <larmor/mri/simulation/replicas.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace larmor {
namespace {

// Samples at which the achieved error of the NUFFT is measured.
constexpr Index error_targets = 300;

// Σ_c |m_c|², by which the adjoint's coil sum is divided in gridding.
template <typename T>
void divide_by_map_energy(View<const std::complex<T>> maps, View<std::complex<T>> x) {
  const Index coils = maps.shape()[0], pixels = x.size();
  for (Index p = 0; p < pixels; ++p) {
    double energy = 0;
    for (Index c = 0; c < coils; ++c) energy += static_cast<double>(std::norm(maps[c * pixels + p]));
    x[p] = energy > 0 ? x[p] * static_cast<T>(1 / energy) : std::complex<T>(0);
  }
}

template <typename T>
Array<std::complex<T>> root_sum_of_squares(View<const std::complex<T>> coil_images) {
  const Shape pixels = coil_images.shape().drop_front(1);
  Array<std::complex<T>> result(pixels);
  for (Index p = 0; p < pixels.size(); ++p) {
    double sum = 0;
    for (Index c = 0; c < coil_images.shape()[0]; ++c)
      sum += static_cast<double>(std::norm(coil_images[c * pixels.size() + p]));
    result[p] = std::complex<T>(static_cast<T>(std::sqrt(sum)));
  }
  return result;
}

/// Reconstructs the images of a scan one after the other; transforms, normal operators and maps are kept
/// while another image will need them.
template <typename T>
class Pipeline {
 public:
  using C = std::complex<T>;

  Pipeline(Scan scan, const ReconstructOptions& options, Reconstruction& result, const MemoryDecision& memory,
           StageClock& clock, Context& ctx)
      : scan_(std::move(scan)),
        options_(options),
        plan_(result.plan),
        channels_(result.channels),
        series_(result.series),
        quality_(result.quality),
        report_(result.report),
        clock_(clock),
        ctx_(ctx),
        host_(ctx.host()),
        density_(decide_density(result.plan, options)),
        normal_options_(memory.normal),
        small_grid_(memory.small_grid),
        nufft_tolerance_(memory.nufft_tolerance),
        coil_block_(memory.coil_block),
        placement_(memory.coil_block > 0 ? Placement::host : Placement::device) {}

  void run() {
    series_.images.resize(plan_.images.size() * static_cast<std::size_t>(options_.map_sets));
    report_.images.resize(plan_.images.size());
    // Images of one trajectory follow each other, and among them those of one slice.
    std::vector<std::size_t> order(plan_.images.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    for (const PlannedImage& image : plan_.images) ++uses_left_[image.trajectory_id];
    if (options_.combine == Combine::sense && order.size() > 1) prepare_all_maps();
    if (options_.solver != SolverKind::gridding) {
      const Shape pixels = plan_.grids.solve_shape();
      Shape unknown = options_.combine == Combine::sense ? pixels : pixels.prepend(channels_.coils);
      if (options_.map_sets > 1) unknown = pixels.prepend(options_.map_sets);
      solver_.emplace(options_, ImageLayout{unknown, plan_.dims}, plan_.grids,
                      static_cast<Index>(plan_.images.size()), ctx_);
      if (solver_->needs_data() && density_ != DensityKind::none)
        throw usage_error("--regularizer: lambda auto needs samples of equal noise; leave --density out");
      if (solver_->needs_scale() && order.size() > 1) find_scale(order);
    }
    if (options_.replicas > 0) {
      quality_.deviation.images.resize(order.size());
      quality_.signal_to_noise.images.resize(order.size());
      if (is_linear()) quality_.g_factor.images.resize(order.size());
    }
    for (std::size_t done = 0; done < order.size(); ++done) {
      ctx_.throw_if_cancelled();
      last_ = done + 1 == order.size();
      reconstruct_image(order[done]);
      if (order.size() > 1)
        ctx_.reporter().progress("images", static_cast<Index>(done) + 1, static_cast<Index>(order.size()),
                                 "");
    }
    if (!solver_) {
      report_.solver = to_string(SolverKind::gridding);
      return;
    }
    report_.solver = to_string(solver_->solver());
    report_.regularizers = solver_->terms();
    report_.lambda_choice = solver_->lambda_choice();
  }

 private:
  using Key = std::pair<std::size_t, std::uint16_t>;  // trajectory, slice
  Key key(std::size_t image) const {
    return {plan_.images[image].trajectory_id, plan_.images[image].counters.slice};
  }

  // Without a coil model the slice makes no difference.
  Key normal_key(std::size_t image) const {
    return options_.combine == Combine::sense ? key(image) : Key{plan_.images[image].trajectory_id, 0};
  }

  // Several images share maps, which are estimated from more than one of them: all slices first.
  void prepare_all_maps() {
    for (const std::uint16_t slice : slices_of(plan_)) {
      ctx_.throw_if_cancelled();
      prepare_maps(slice, nullptr);
    }
  }

  void prepare_maps(std::uint16_t slice, const PreparedImage* loaded) {
    if (maps_.count(slice)) return;
    maps_.emplace(slice,
                  slice_maps_of_data<T>(scan_, plan_, channels_, slice, options_, loaded, ctx_, placement_));
    clock_.charge("calibrate");
  }

  void prepare_transform(std::size_t index, PreparedImage& data) {
    const PlannedImage& image = plan_.images[index];
    if (nufft_ && trajectory_id_ == image.trajectory_id) return;
    nufft_.reset();
    normal_.reset();
    weights_ = image_density(scan_, plan_, index, data, density_, options_.nufft_tolerance, ctx_);
    NufftOptions nufft_options;
    nufft_options.tolerance = nufft_tolerance_;
    nufft_options.batch = coil_block_ > 0 ? coil_block_ : channels_.coils;
    nufft_options.small_grid = small_grid_;
    if (options_.tune.level != TuneLevel::estimate && !small_grid_)
      nufft_options = tuned(data, nufft_options);
    nufft_.emplace(data.trajectory, weights_, plan_.grids.solve_shape(), nufft_options, ctx_);
    trajectory_id_ = image.trajectory_id;
  }

  // The options of the fastest transform of this trajectory, as far as tuning is asked for.
  NufftOptions tuned(const PreparedImage& data, const NufftOptions& nufft_options) {
    // Trajectories of one scan with as many samples differ little.
    const Index samples = data.trajectory.shape()[0];
    if (const auto known = tuned_.find(samples); known != tuned_.end()) return known->second;
    TuneOptions tune = options_.tune;
    // Images, maps and the normal operator's tables want memory too.
    if (tune.bytes == 0) tune.bytes = ctx_.memory_limit() / 4;
    const auto trajectory = copied_to(ctx_.device(), data.trajectory);
    const TuneResult result = tune_nufft<T>(trajectory, plan_.grids.solve_shape(), nufft_options, tune, ctx_);
    ctx_.reporter().note(fmt::format(
        "tuned: {} at oversampling {:.3f}, width {}, {}", to_string(result.chosen.method),
        result.chosen.oversampling, result.chosen.width,
        result.from_wisdom ? "from wisdom"
                           : fmt::format("{} measured in {:.1f} s", result.trials.size(), result.seconds)));
    clock_.charge("tune");
    return tuned_.emplace(samples, result.options).first->second;
  }

  // Samples times √d, as the operator with density d expects them.
  Array<C> weighted_samples(Array<std::complex<float>> samples) const {
    Array<C> result;
    if constexpr (std::is_same_v<T, float>)
      result = std::move(samples);
    else
      result = converted<C>(samples.view());
    const Index columns = result.shape()[1];
    if (weights_.empty()) return moved_to(ctx_.device(), std::move(result), placement_);
    parallel_rows(result.shape()[0], [&](Index coil) {
      for (Index j = 0; j < columns; ++j)
        result[coil * columns + j] *= static_cast<T>(std::sqrt(weights_[j]));
    });
    return moved_to(ctx_.device(), std::move(result), placement_);
  }
  template <typename Body>
  void parallel_rows(Index rows, const Body& body) const {
    parallel_for(host_, rows, 1, [&](Index begin, Index end, int) {
      for (Index row = begin; row < end; ++row) body(row);
    });
  }

  void reconstruct_image(std::size_t index) {
    const PlannedImage& planned = plan_.images[index];
    const bool sense = options_.combine == Combine::sense;
    PreparedImage data = load_image(scan_, plan_, channels_, index, host_);
    clock_.charge("prepare");
    if (sense) prepare_maps(planned.counters.slice, &data);
    prepare_transform(index, data);
    if (last_) {
      series_.ismrmrd_header = std::move(scan_.xml_header);
      scan_ = Scan{};
    }
    data.trajectory = {};
    data.weights = {};

    OperatorPtr<T> A = model_of(planned.counters.slice);
    Array<std::complex<float>> kept;
    if (options_.replicas > 0) kept = clone(data.samples);
    Array<C> x;
    typename ImageSolver<T>::Data facts;
    {
      Array<C> samples = weighted_samples(std::move(data.samples));
      x = A->adjoint(samples, ctx_);
      if (solver_ && solver_->needs_data()) facts = solver_->data_of(*A, samples, channels_.whitened ? 1 : 0);
      if (solver_ && solver_->needs_samples()) {
        facts.model = A.get();
        facts.y = std::move(samples);
      }
    }
    if (report_.nufft_kernel_width == 0) describe_transform();
    ImageReport& report = report_.images[index];
    report.counters = planned.counters;
    report.samples = planned.samples;
    report.dropped = planned.dropped;
    report.trajectory_id = planned.trajectory_id;
    const auto let_go_of_transform = [&] {
      A.reset();
      if (--uses_left_[planned.trajectory_id] == 0) nufft_.reset();
    };
    if (options_.solver == SolverKind::gridding) {
      x = gridded(std::move(x), planned);
      clock_.charge("iterate");
    } else {
      prepare_normal(index, *A);
      const bool transform_needed = !kept.empty() || solver_->needs_samples();
      if (!transform_needed) let_go_of_transform();
      ctx_.arena().release();
      normal_->reserve(ctx_);
      clock_.charge("setup");
      solver_->select(static_cast<Index>(index));
      x = solver_->solve(*normal_, std::move(x), facts, scale_, report);
      facts = {};
      if (transform_needed && kept.empty()) let_go_of_transform();
      clock_.charge("iterate");
    }
    if (!kept.empty()) {
      x = moved_to(Device::cpu(), std::move(x));
      estimate_noise(index, *A, kept, x);
      if (options_.solver != SolverKind::gridding) let_go_of_transform();
      clock_.charge("replicas");
    }
    if (last_) {
      normal_.reset();
      nufft_.reset();
      maps_.clear();
      ctx_.arena().release();
    }
    if (options_.map_sets > 1)
      store_sets(planned, x, index);
    else
      store(planned, std::move(x), series_.images[index]);
  }

  Array<C> gridded(Array<C> x, const PlannedImage& planned) const {
    x = moved_to(Device::cpu(), std::move(x));
    if (options_.combine == Combine::sense)
      divide_by_map_energy<T>(copied_to(Device::cpu(), maps_.at(planned.counters.slice).front().maps()), x);
    return x;
  }

  void estimate_noise(std::size_t index, const LinearOperator<T>& A, View<const std::complex<float>> samples,
                      View<const C> x) {
    const PlannedImage& planned = plan_.images[index];
    // Every replica on the scale of the image itself.
    const double scale = report_.images[index].scale;
    const auto statistics = pseudo_replicas(
        samples,
        [&](View<const std::complex<float>> noisy) {
          Array<C> y = weighted_samples(clone(noisy));
          Array<C> image = A.adjoint(y, ctx_);
          ImageReport unused;
          typename ImageSolver<T>::Data data;
          if (solver_ && solver_->needs_samples()) {
            data.model = &A;
            data.y = std::move(y);
          }
          image = options_.solver == SolverKind::gridding
                      ? gridded(std::move(image), planned)
                      : solver_->solve(*normal_, std::move(image), data, scale, unused);
          return converted<std::complex<float>>(moved_to(Device::cpu(), std::move(image)).view());
        },
        {options_.replicas, options_.replica_seed}, host_);
    const auto deviation = statistics.deviation();
    const auto maps = converted<std::complex<float>>(
        copied_to(Device::cpu(), maps_.at(planned.counters.slice).front().maps()).view());
    const double pixels = static_cast<double>(x.size());
    // Images are stored 1/√N times what is solved for, ratios as they are.
    const auto place = [&](const Array<float>& values, double factor, ImageSeries& series) {
      auto map = converted<C>(values.view());
      for (C& value : map) value *= static_cast<T>(factor);
      store(planned, std::move(map), series.images[index]);
    };
    place(deviation, 1, quality_.deviation);
    place(signal_to_noise(converted<std::complex<float>>(x), deviation), std::sqrt(pixels),
          quality_.signal_to_noise);
    if (!is_linear()) return;
    place(g_factor(deviation, cartesian_deviation(maps), pixels / static_cast<double>(samples.shape()[1])),
          std::sqrt(pixels), quality_.g_factor);
  }

  // The g-factor compares noise that does not depend on the image.
  bool is_linear() const { return !solver_ || !solver_->needs_scale(); }

  OperatorPtr<T> model_of(std::uint16_t slice) const {
    if (options_.combine != Combine::sense) return nufft_->share();
    const auto& maps = maps_.at(slice);
    return coil_block_ > 0 ? sense_model_in_blocks<T>(*nufft_, maps, coil_block_, placement_)
                           : sense_model<T>(*nufft_, maps);
  }

  // max|Aᴴy| over all images, so that one λ weighs equally in all of them.
  void find_scale(const std::vector<std::size_t>& order) {
    for (const std::size_t index : order) {
      ctx_.throw_if_cancelled();
      PreparedImage data = load_image(scan_, plan_, channels_, index, host_);
      prepare_transform(index, data);
      const auto rhs = model_of(plan_.images[index].counters.slice)
                           ->adjoint(weighted_samples(std::move(data.samples)), ctx_);
      scale_ = std::max(scale_, max_magnitude<T>(rhs, ctx_));
    }
    clock_.charge("setup");
  }

  void prepare_normal(std::size_t index, const LinearOperator<T>& A) {
    if (normal_ && normal_key_ == normal_key(index)) return;
    normal_.reset();
    ctx_.arena().release();
    normal_ = A.normal(normal_options_, ctx_);
    normal_key_ = normal_key(index);
    solver_->forget_norm();
    if (!report_.normal_operator.empty()) return;
    report_.normal_operator = describe(*normal_);
    report_.toeplitz = report_.normal_operator.find("Toeplitz") != std::string::npos;
  }

  void store(const PlannedImage& planned, Array<C> x, Image& image) const {
    x = moved_to(Device::cpu(), std::move(x));
    if (options_.combine == Combine::rss) x = root_sum_of_squares<T>(x);
    image.pixels = image_pixels<T>(x, plan_.grids, options_.combine == Combine::none);
    image.geometry = planned.geometry;
    image.counters = planned.counters;
    image.acquisition_time_stamp = planned.acquisition_time_stamp;
  }

  void store_sets(const PlannedImage& planned, View<const C> x, std::size_t index) {
    const auto sets = static_cast<std::size_t>(options_.map_sets);
    for (std::size_t set = 0; set < sets; ++set) {
      Image& image = series_.images[index * sets + set];
      store(planned, clone(x.slice(static_cast<Index>(set))), image);
      image.counters.set = static_cast<std::uint16_t>(set);
    }
  }

  void describe_transform() {
    report_.nufft_tolerance = options_.nufft_tolerance;
    report_.nufft_oversampling = nufft_->oversampling();
    report_.nufft_kernel_width = nufft_->kernel_width();
    report_.nufft_error_measured = nufft_->measured_error(ctx_, error_targets);
    ctx_.reporter().note(fmt::format("NUFFT error {:.1e} measured, {:.1e} asked",
                                     report_.nufft_error_measured, report_.nufft_tolerance));
    report_.density =
        density_ == DensityKind::given && plan_.options.weights.size() == 0 ? "file" : to_string(density_);
  }

  Scan scan_;
  const ReconstructOptions& options_;
  const ScanPlan& plan_;
  const ChannelPlan& channels_;
  ImageSeries& series_;
  QualityMaps& quality_;
  ReconstructionReport& report_;
  StageClock& clock_;
  Context& ctx_;
  Context host_;  // where readouts become samples and maps are estimated
  const DensityKind density_;
  const NormalOptions normal_options_;
  const bool small_grid_;
  const double nufft_tolerance_;
  const Index coil_block_;
  const Placement placement_;
  bool last_ = false;

  std::map<std::uint16_t, std::vector<CoilMaps<T>>> maps_;  // by slice, in the channels of the data
  std::map<std::size_t, Index> uses_left_;                  // images still to come, by trajectory
  std::size_t trajectory_id_ = 0;
  std::optional<Nufft<T>> nufft_;
  Array<double> weights_;
  std::map<Index, NufftOptions> tuned_;  // by number of samples
  OperatorPtr<T> normal_;
  Key normal_key_;
  std::optional<ImageSolver<T>> solver_;
  double scale_ = 0;  // max|Aᴴy| over the series; 0: of each image
};

void tell(const std::vector<std::string>& notes, const std::vector<std::string>& warnings, Context& ctx) {
  for (const std::string& note : notes) ctx.reporter().note(note);
  for (const std::string& warning : warnings) ctx.reporter().warning(warning);
}

}  // namespace

void StageClock::charge(const char* stage) {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  for (auto& [name, sum] : report_.seconds) {
    if (name != stage) continue;
    sum += seconds;
    return;
  }
  report_.seconds.emplace_back(stage, seconds);
}

Reconstruction reconstruct(Scan scan, const ReconstructOptions& options, Context& ctx) {
  Reconstruction result;
  ReconstructionReport& report = result.report;
  StageClock clock(report);
  check_solver(options);
  PrepareOptions prepare = options.prepare;
  // Uncombined coils stay in the units of the scan's channels.
  if (options.combine != Combine::sense) prepare.whiten = false;
  if (options.geometric_compression) {
    if (options.prepare.virtual_coils < 1)
      throw usage_error("--compression geometric needs --coils, the number of coils to compress to");
    prepare.virtual_coils = 0;  // every slice has its own
  }
  if (options.field_map.size() > 0) prepare.sample_times = true;
  result.plan = plan_scan(scan, with_estimated_delay(scan, prepare, ctx));
  check_map_sets(options, result.plan.channels);
  if (options.map_sets > 1 && options.solver == SolverKind::gridding)
    throw usage_error("--sets {} needs a solver, which --solver gridding is not", options.map_sets);
  if (options.combine == Combine::sense && options.maps.size() > 0) {
    const auto recon_only = result.plan.grids.solve.matrix;
    adopt_maps_grid(result.plan.grids, given_maps_pixels(options.maps, options.map_sets, result.plan));
    if (recon_only != result.plan.grids.solve.matrix)
      result.plan.notes.push_back("coil maps have the recon grid: solving on that instead");
  }
  tell(result.plan.notes, result.plan.warnings, ctx);
  {
    Context host = ctx.host();
    result.channels = plan_channels(scan, result.plan, host);
  }
  tell(result.channels.notes, result.channels.warnings, ctx);
  report.calibration = options.combine != Combine::sense ? "none"
                       : options.maps.size() > 0         ? "given"
                       : result.plan.channels == 1       ? "none"
                                                         : to_string(options.calibration);

  result.series.kind = options.kind;
  if (wants_series(result.plan, options)) {
    clock.charge("prepare");
    reconstruct_series(std::move(scan), options, result, clock, ctx);
    report.peak_resident_bytes = peak_resident_bytes();
    if (ctx.on_gpu()) report.peak_device_bytes = memory_use(Device::Kind::cuda).peak_bytes;
    return result;
  }
  MemoryDecision memory = decide_memory(scan, result.plan, result.channels.coils, options, ctx);
  report.memory = std::move(memory.plan);
  ctx.reporter().note("memory estimate " + format_bytes(report.memory.total()));
  report.coil_block = memory.coil_block;
  if (memory.coil_block > 0)
    ctx.reporter().note(fmt::format("memory is short: {} coils at a time{}", memory.coil_block,
                                    ctx.on_gpu() ? ", coil maps and samples in the host's memory" : ""));
  clock.charge("prepare");
  if (options.replicas > 0) {
    if (options.combine != Combine::sense)
      throw usage_error("--replicas needs whitened coils and their maps: leave --combine out");
    if (!result.channels.whitened)
      ctx.reporter().warning(
          "the scan has no noise readouts, so that its noise is not known: quality maps are those of unit "
          "noise");
  }

  if (options.precision == Precision::single_precision)
    Pipeline<float>(std::move(scan), options, result, memory, clock, ctx).run();
  else
    Pipeline<double>(std::move(scan), options, result, memory, clock, ctx).run();
  report.peak_resident_bytes = peak_resident_bytes();
  if (ctx.on_gpu()) report.peak_device_bytes = memory_use(Device::Kind::cuda).peak_bytes;
  return result;
}

}  // namespace larmor
