#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/mri/reconstruct/calibrate.hpp>
#include <larmor/mri/reconstruct/memory.hpp>
#include <larmor/mri/reconstruct/model.hpp>
#include <larmor/mri/reconstruct/options/rules.hpp>
#include <larmor/mri/reconstruct/problems.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/solve.hpp>
#include <larmor/mri/reconstruct/weigh.hpp>
#include <larmor/mri/reconstruct/write_back.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include <algorithm>
#include <optional>

namespace larmor {
namespace {

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
    result_.report.density = density_name(plan_, density_);
    if (options_.output.replicas > 0)
      for (ImageSeries* maps : {&result_.quality.deviation, &result_.quality.signal_to_noise})
        maps->images.resize(list_.images);
    // Maps are estimated from several images that share them: before any of these is solved for.
    if (list_.size() > 1)
      for (const PlannedProblem& problem : list_.problems) calibrate(problem, nullptr);
    for (const PlannedProblem& problem : list_.problems) prepare_solver(problem);
    if (solver_ && solver_->needs_scale() && list_.size() > 1) find_scale();
    if (options_.output.replicas > 0 && is_linear()) result_.quality.g_factor.images.resize(list_.images);

    for (const std::size_t index : list_.order) {
      ctx_.throw_if_cancelled();
      left_ = list_.size() - done_++;
      reconstruct(index);
      if (list_.size() > 1)
        ctx_.reporter().progress(list_.summary.frames > 0 ? "series" : "images", done_, list_.size(), "");
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
    if (left_ == 1) let_go_of_scan();
    ImageReport& report = describe(problem, result_.report.images[index]);
    for (const PreparedImage& frame : frames) frame_samples_.push_back(frame.trajectory.shape()[0]);
    SeriesProblem<T> model = this->model(problem, std::move(frames));
    Array<C> x = solver_ ? solve(problem, index, model, report) : grid(model);
    x = moved_to(Device::cpu(), std::move(x));
    if (options_.output.replicas > 0) estimate_noise(problem, model, x, report.scale);
    if (!another_needs(problem)) shared_.transforms.clear();
    model = {};
    if (left_ == 1) shared_ = {};
    ctx_.arena().release();
    write_back<T>(x, problem, plan_, options_, result_.series);
    frame_samples_.clear();
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
    if (density_ == DensityKind::none || !another_needs(problem)) return;
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

  // max|Aᴴy| over all problems, so that one λ weighs equally in all of them.
  void find_scale() {
    left_ = list_.size() + 1;
    for (const std::size_t index : list_.order) {
      ctx_.throw_if_cancelled();
      const PlannedProblem& problem = list_.problems[index];
      auto frames = load(problem);
      weigh(problem, frames);
      const auto model = this->model(problem, std::move(frames));
      scale_ = std::max(scale_, max_magnitude<T>(model.model->adjoint(model.samples, ctx_), ctx_));
    }
    clock_.charge("setup");
  }

  Array<C> solve(const PlannedProblem& problem, std::size_t index, SeriesProblem<T>& model,
                 ImageReport& report) {
    prepare_solver(problem);
    solver_->select(static_cast<Index>(index));
    Array<C> rhs = model.model->adjoint(model.samples, ctx_);
    typename ProblemSolver<T>::Data data;
    if (solver_->needs_data())
      data = solver_->data_of(*model.model, model.samples, selection_.channels.whitened ? 1 : 0);
    if (options_.output.replicas > 0) kept_ = copied_to(Device::cpu(), model.samples);
    if (solver_->needs_samples()) {
      data.model = model.model;
      data.y = std::move(model.samples);
    }
    model.samples = {};
    ctx_.arena().release();
    const auto [normal, made] = normal_of<T>(*model.model, problem, memory_, shared_, ctx_);
    if (made) solver_->forget_norm();
    if (result_.report.normal_operator.empty()) {
      result_.report.normal_operator = larmor::describe(*normal);
      result_.report.toeplitz = result_.report.normal_operator.find("Toeplitz") != std::string::npos;
    }
    if (!solver_->needs_samples() && options_.output.replicas == 0) {
      model.model.reset();
      model.transforms.clear();
      if (!another_needs(problem)) shared_.transforms.clear();
    }
    ctx_.arena().release();
    normal->reserve(ctx_);
    clock_.charge("setup");
    Array<C> x = solver_->solve(*normal, std::move(rhs), data, scale_, report);
    clock_.charge("iterate");
    return x;
  }

  // One adjoint of the weighted samples, divided by Σ|m|² of the coil maps.
  Array<C> grid(SeriesProblem<T>& model) {
    Array<C> x = moved_to(Device::cpu(), model.model->adjoint(model.samples, ctx_));
    if (options_.output.replicas > 0) kept_ = moved_to(Device::cpu(), std::move(model.samples));
    const auto& energy = model.map_energy;
    for (Index i = 0; i < x.size() && !energy.empty(); ++i) {
      const double e = energy[i % energy.size()];
      x[i] = e > 0 ? x[i] * static_cast<T>(1 / e) : C(0);
    }
    clock_.charge("iterate");
    return x;
  }

  void estimate_noise(const PlannedProblem& problem, SeriesProblem<T>& model, View<const C> x, double scale) {
    const Array<C> samples = std::move(kept_);
    Array<C> maps;
    if (is_linear()) maps = copied_to(Device::cpu(), shared_.maps.at(problem.maps).front().maps());
    const auto solve = [&](Array<C> noisy) {
      model.samples = moved_to(ctx_.device(), std::move(noisy), memory_.placement());
      if (!solver_) return grid(model);
      // Every replica on the scale of the image itself.
      ImageReport unused;
      typename ProblemSolver<T>::Data data;
      Array<C> rhs = model.model->adjoint(model.samples, ctx_);
      if (solver_->needs_samples()) {
        data.model = model.model;
        data.y = std::move(model.samples);
      }
      return moved_to(Device::cpu(), solver_->solve(*shared_.normal, std::move(rhs), data, scale, unused));
    };
    larmor::estimate_noise<T>({problem, samples, model.root_density, x, maps, frame_samples_, solve}, plan_,
                              options_, result_.quality, host_);
    clock_.charge("replicas");
  }

  // The g-factor compares noise that does not depend on the image.
  bool is_linear() const { return !solver_ || !solver_->needs_scale(); }

  // Whether a problem that is still to come has these trajectories.
  bool another_needs(const PlannedProblem& problem) const {
    const auto next = list_.order.end() - std::min<Index>(left_ - 1, list_.size());
    return std::any_of(next, list_.order.end(), [&](std::size_t other) {
      return list_.problems[other].trajectory == problem.trajectory;
    });
  }

  void let_go_of_scan() {
    result_.series.ismrmrd_header = std::move(scan_.xml_header);
    // A field map's segments are counted later, and with them memory planned: by the headers.
    scan_.data = {};
    scan_.trajectory = {};
  }

  ImageReport& describe(const PlannedProblem& problem, ImageReport& report) const {
    const PlannedImage& first = plan_.images[problem.series.images.front()];
    report.counters = first.counters;
    report.trajectory_id = first.trajectory_id;
    for (const std::size_t image : problem.series.images) {
      report.samples += plan_.images[image].samples;
      report.dropped += plan_.images[image].dropped;
    }
    return report;
  }

  Scan scan_;
  const ReconstructOptions& options_;
  const Selection& selection_;
  const ScanPlan& plan_;
  const ProblemList& list_;
  MemoryDecision memory_;
  Reconstruction& result_;
  StageClock& clock_;
  Context& ctx_;
  Context host_;  // where readouts become samples and maps are estimated
  const DensityKind density_;
  SharedParts<T> shared_;
  std::optional<ProblemSolver<T>> solver_;  // none: gridding
  double scale_ = 0;                        // max|Aᴴy| that all problems share; 0: of each
  Index done_ = 0, left_ = 0;               // problems, the present one among those that are left
  std::vector<Index> frame_samples_;        // of the present problem
  Array<C> kept_;                           // its samples, for replicas
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
  report.calibration = options.coils.combine != Combine::sense ? "none"
                       : options.coils.maps.size() > 0         ? "given"
                       : plan.channels == 1                    ? "none"
                                                               : to_string(options.coils.calibration);
  MemoryDecision memory = decide_memory(scan, plan, list, channels.coils, options, ctx);
  report.memory = memory.plan;
  report.coil_block = memory.coil_block;
  ctx.reporter().note("memory estimate " + format_bytes(report.memory.total()));
  if (memory.coil_block > 0)
    ctx.reporter().note(fmt::format("memory is short: {} coils at a time{}", memory.coil_block,
                                    ctx.on_gpu() ? ", coil maps and samples in the host's memory" : ""));
  if (options.output.replicas > 0 && !channels.whitened)
    ctx.reporter().warning(
        "the scan has no noise readouts, so that its noise is not known: quality maps are those of unit "
        "noise");
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
