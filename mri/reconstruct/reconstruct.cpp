#include <larmor/core/memory_limits.hpp>
#include <larmor/mri/automatic/automatic.hpp>
#include <larmor/mri/automatic/thinned.hpp>
#include <larmor/mri/density/density.hpp>
#include <larmor/mri/reconstruct/calibrate.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/solve.hpp>
#include <larmor/mri/reconstruct/weigh.hpp>
#include <larmor/mri/reconstruct/write_back.hpp>

#include <algorithm>
#include <optional>

namespace larmor {
namespace {

// Images above that are tried with density weights only.
constexpr Index most_unknowns_tried_twice = Index{1} << 20;

/// The steps from data to images, for one problem of the list after the other.
template <typename T>
class Run {
 public:
  using C = std::complex<T>;

  Run(Scan scan, const ReconstructOptions& options, const ProblemList& list, MemoryDecision memory,
      Reconstruction& result, StageClock& clock, Context& ctx)
      : scan_(std::move(scan)),
        options_(options),
        selection_(result.selection),
        plan_(result.selection.plan),
        list_(list),
        memory_(std::move(memory)),
        result_(result),
        clock_(clock),
        ctx_(ctx),
        host_(ctx.host()),
        density_(decide_density(plan_, options)) {}

  void all() {
    result_.series.images.resize(list_.images);
    result_.report.images.resize(list_.problems.size());
    if (options_.output.replicas > 0)
      for (ImageSeries* maps : {&result_.quality.deviation, &result_.quality.signal_to_noise})
        maps->images.resize(list_.images);
    // Maps are estimated from several images that share them: before any of these is solved for.
    if (list_.size() > 1)
      for (const PlannedProblem& problem : list_.problems) calibrate(problem, nullptr);
    if (options_.solve.automatic) decide();
    result_.report.density = density_name(plan_, density_);
    for (const PlannedProblem& problem : list_.problems) prepare_solver(problem);
    if (solver_ && solver_->needs_scale() && list_.size() > 1) find_scale();
    if (options_.output.replicas > 0 && is_linear()) result_.quality.g_factor.images.resize(list_.images);

    for (const std::size_t index : list_.order) {
      ctx_.throw_if_cancelled();
      reconstruct(index);
      if (list_.size() > 1)
        ctx_.reporter().progress(list_.summary.frames > 0 ? "series" : "images", ++done_, list_.size(), "");
    }
    result_.report.solver = solver_ ? to_string(solver_->solver()) : "gridding";
    if (!solver_) return;
    result_.report.regularizers = solver_->terms();
    result_.report.lambda_choice = solver_->lambda_choice();
  }

 private:
  void reconstruct(std::size_t index) {
    const PlannedProblem& problem = list_.problems[index];
    std::vector<PreparedImage> frames = load(problem);
    calibrate(problem, problem.series.frames ? nullptr : &frames.front());
    weigh(problem, frames);
    const bool last = index == list_.order.back();
    if (last) let_go_of_scan();
    ImageReport& report = result_.report.images[index] = describe(problem, plan_);
    std::vector<Index> frame_samples;
    for (const PreparedImage& frame : frames) frame_samples.push_back(frame.trajectory.shape()[0]);
    SeriesProblem<T> model = this->model(problem, std::move(frames));
    if (solver_) prepare_solver(problem);
    const bool replicas = options_.output.replicas > 0;
    ProblemSolution<T> solution(problem, static_cast<Index>(index), model, solver_ ? &*solver_ : nullptr,
                                scale_, replicas, shared_, ctx_);
    const Array<C> x =
        solution.find(memory_, selection_.channels.whitened ? 1 : 0, result_.report, report, clock_);
    if (replicas) estimate_noise(problem, solution, model.root_density, x, std::move(frame_samples));
    if (!problem.trajectory_again) shared_.transforms.clear();
    model = {};
    if (last) shared_ = {};
    ctx_.arena().release();
    write_back<T>(x, problem, plan_, options_, result_.series);
  }

  std::vector<PreparedImage> load(const PlannedProblem& problem) {
    auto frames = load_series(scan_, plan_, selection_.channels, problem.series, host_);
    clock_.charge("prepare");
    return frames;
  }

  void calibrate(const PlannedProblem& problem, const PreparedImage* loaded) {
    if (options_.coils.combine != Combine::sense || shared_.maps.contains(problem.maps)) return;
    ctx_.throw_if_cancelled();
    Calibration used = options_.coils.calibration;
    shared_.maps.emplace(problem.maps, coil_maps_of_slice<T>(scan_, selection_, options_.coils, problem.maps,
                                                             loaded, memory_.placement(), ctx_, &used));
    if (used != options_.coils.calibration) result_.report.calibration = to_string(used);
    clock_.charge("calibrate");
  }

  void weigh(const PlannedProblem& problem, std::vector<PreparedImage>& frames) {
    shared_.begin(problem);
    if (!shared_.weights.empty()) {
      for (std::size_t f = 0; f < frames.size(); ++f) frames[f].weights = clone(shared_.weights[f]);
      return;
    }
    weigh_frames(scan_, plan_, problem.series, density_, options_.transform.tolerance, frames, ctx_);
    if (density_ == DensityKind::none || !(ahead_ || problem.trajectory_again)) return;
    for (const PreparedImage& frame : frames) shared_.weights.push_back(clone(frame.weights));
  }

  SeriesProblem<T> model(const PlannedProblem& problem, std::vector<PreparedImage> frames) {
    return model_problem<T>({scan_, selection_, list_, problem, options_}, std::move(frames), memory_,
                            shared_, result_.report, ctx_);
  }

  void prepare_solver(const PlannedProblem& problem) {
    if (options_.solve.gridding || (solver_ && solver_->shape() == problem.unknown)) return;
    solver_.emplace(options_, ImageLayout{problem.unknown, plan_.dims}, plan_.grids, list_.size(), ctx_);
  }

  // Density, Tikhonov weight and iterations for all problems, from one of them: the first, from the middle
  // on, that is more than noise.
  void decide() {
    ahead_ = true;
    AutomaticChoice choice;
    for (Index i = 0; i < list_.size(); ++i) {
      const auto place = static_cast<std::size_t>((list_.size() / 2 + i) % list_.size());
      choice = best_for(list_.problems[list_.order[place]]);
      if (!choice.noise_alone) break;
    }
    const AutomaticCandidate& best = choice.best();
    if (density_ != best.density) shared_.trajectory.reset();
    density_ = best.density;
    options_.solve.automatic = false;
    options_.solve.iterations = best.choice.best.iterations;
    if (best.choice.best.lambda > 0)
      options_.solve.regularizers.push_back({.name = "l2", .lambda = best.choice.best.lambda});
    ahead_ = false;
    tell(choice, ctx_);
    result_.report.automatic = std::move(choice);
    clock_.charge("choose");
  }

  AutomaticChoice best_for(const PlannedProblem& problem) {
    ctx_.throw_if_cancelled();
    auto frames = load(problem);
    calibrate(problem, problem.series.frames ? nullptr : &frames.front());
    if (thins(frames.front())) return best_for_thinned(problem, std::move(frames));
    PowerSpectrumEstimate power(plan_.grids.solve_shape());
    for (const PreparedImage& frame : frames) power.add(frame.trajectory, frame.samples);
    AutomaticSearch<T> search(problem.unknown, plan_.dims, selection_.channels.whitened ? 1 : 0, ctx_);
    // Without weights conjugate gradients take many more iterations where sampling is uneven, for little
    // gain.
    const bool both = options_.density == DensityKind::automatic && density_ != DensityKind::none &&
                      problem.unknown.size() <= most_unknowns_tried_twice &&
                      options_.coils.combine == Combine::sense;
    const Index most = std::min(iterations_of(options_.solve), memory_.krylov_vectors);
    std::vector<DensityKind> densities{density_};
    if (both) densities.push_back(DensityKind::none);
    for (const DensityKind density : densities) {
      if (frames.empty()) frames = load(problem);
      if (density != density_) shared_.trajectory.reset();
      density_ = density;
      weigh(problem, frames);
      const SeriesProblem<T> model = this->model(problem, std::move(frames));
      frames.clear();
      const auto [normal, made] = normal_of<T>(*model.model, problem, memory_, shared_, ctx_);
      search.add(density, power, model, *normal, most);
      ctx_.arena().release();
      clock_.charge("choose");
    }
    return search.choice();
  }

  bool thins(const PreparedImage& frame) const {
    return density_ == DensityKind::pipe && options_.coils.combine == Combine::sense &&
           options_.frames.basis.size() == 0 && options_.field.frequency.size() == 0 &&
           thinning_factor(plan_.grids.solve_shape()) > 1 && can_be_thinned(frame);
  }

  // The same for a small part of a large problem.
  AutomaticChoice best_for_thinned(const PlannedProblem& problem, std::vector<PreparedImage> frames) {
    const Shape whole = plan_.grids.solve_shape();
    const Index factor = thinning_factor(whole);
    frames = thinned(frames, factor);
    const Shape pixels = thinned(whole, factor);
    PipeMenonOptions pipe;
    pipe.field_of_view = thinned(plan_.grids.recon_shape(), factor);
    PowerSpectrumEstimate power(pixels);
    for (PreparedImage& frame : frames) {
      power.add(frame.trajectory, frame.samples);
      frame.weights = pipe_menon(frame.trajectory, pixels, pipe, ctx_);
    }
    std::vector<CoilMaps<T>> sets;
    for (const CoilMaps<T>& maps : shared_.maps.at(problem.maps)) sets.push_back(thinned(maps, factor, ctx_));
    SeriesOptions series;
    series.nufft.tolerance = memory_.nufft_tolerance;
    series.decouple_slices = false;
    series.keep_root_density = true;
    const SeriesProblem<T> model =
        series_problem<T>(std::move(frames), problem.series.shape, pixels, sets, series, ctx_);
    const Operator<T> normal = model.model->normal(ctx_);
    AutomaticSearch<T> search(model.model->domain(), plan_.dims, selection_.channels.whitened ? 1 : 0, ctx_);
    search.add(DensityKind::pipe, power, model, normal, iterations_of(options_.solve), false);
    ctx_.arena().release();
    return search.choice();
  }

  // max|Aᴴy| over all problems, so that one λ weighs equally in all of them.
  void find_scale() {
    ahead_ = true;
    for (const std::size_t index : list_.order) {
      ctx_.throw_if_cancelled();
      const PlannedProblem& problem = list_.problems[index];
      auto frames = load(problem);
      weigh(problem, frames);
      const auto model = this->model(problem, std::move(frames));
      scale_ = std::max(scale_, max_magnitude<T>(model.model->adjoint(model.samples, ctx_), ctx_));
    }
    ahead_ = false;
    clock_.charge("setup");
  }

  void estimate_noise(const PlannedProblem& problem, ProblemSolution<T>& solution, View<const T> root_density,
                      View<const C> x, std::vector<Index> frame_samples) {
    Array<C> maps;
    if (is_linear()) maps = copied_to(Device::cpu(), shared_.maps.at(problem.maps).front().maps());
    const auto solve = [&](Array<C> noisy) { return solution.again(std::move(noisy), memory_.placement()); };
    larmor::estimate_noise<T>(
        {problem, solution.samples(), root_density, x, maps, std::move(frame_samples), solve}, plan_,
        options_, result_.quality, host_);
    clock_.charge("replicas");
  }

  // The g-factor compares noise that does not depend on the image.
  bool is_linear() const { return !solver_ || !solver_->needs_scale(); }

  void let_go_of_scan() {
    result_.series.ismrmrd_header = std::move(scan_.xml_header);
    // A field map's segments are counted later, and with them memory planned: by the headers.
    scan_.data = {};
    scan_.trajectory = {};
  }

  Scan scan_;
  ReconstructOptions options_;  // with what was found where they are automatic
  const Selection& selection_;
  const ScanPlan& plan_;
  const ProblemList& list_;
  MemoryDecision memory_;
  Reconstruction& result_;
  StageClock& clock_;
  Context& ctx_;
  Context host_;  // where readouts become samples and maps are estimated
  DensityKind density_;
  SharedParts<T> shared_;
  std::optional<ProblemSolver<T>> solver_;  // none: gridding
  double scale_ = 0;                        // max|Aᴴy| that all problems share; 0: of each
  bool ahead_ = false;                      // problems are looked at that are solved for later
  Index done_ = 0;                          // problems
};

}  // namespace

Reconstruction reconstruct(Scan scan, const ReconstructOptions& options, Context& ctx) {
  Reconstruction result;
  ReconstructionReport& report = result.report;
  StageClock clock(report);
  result.selection = select_scan(scan, options, ctx);
  const ScanPlan& plan = result.selection.plan;
  const ChannelPlan& channels = result.selection.channels;
  const ProblemList list = plan_problems(plan, channels.coils, options);
  tell(list, ctx);
  report.series = list.summary;
  report.calibration = calibration_name(plan, options.coils);
  MemoryDecision memory = decide_memory(scan, plan, list, channels.coils, options, ctx);
  report.memory = memory.plan;
  report.coil_block = memory.coil_block;
  tell(memory, ctx);
  result.series.kind = options.output.kind;
  clock.charge("prepare");
  if (options.solve.precision == Precision::single_precision)
    Run<float>(std::move(scan), options, list, std::move(memory), result, clock, ctx).all();
  else
    Run<double>(std::move(scan), options, list, std::move(memory), result, clock, ctx).all();
  report.peak_resident_bytes = peak_resident_bytes();
  if (ctx.on_gpu()) report.peak_device_bytes = memory_use(Device::Kind::cuda).peak_bytes;
  return result;
}

}  // namespace larmor
