#include <larmor/core/memory_limits.hpp>
#include <larmor/core/vectors/partial_vectors.hpp>
#include <larmor/mri/reconstruct/choose.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/solution.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/divide.hpp>
#include <larmor/mri/reconstruct/steps/weigh.hpp>
#include <larmor/mri/reconstruct/steps/write_back.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace larmor {
namespace {

/// One problem of the list after the other, from its data to its images.
template <typename T>
class Run {
 public:
  using C = std::complex<T>;

  Run(Preparation<T> preparation, Reconstruction& result, StageClock& clock, Context& ctx)
      : preparation_(std::move(preparation)),
        options_(preparation_.options),
        plan_(result.selection.plan),
        division_(preparation_.division),
        list_(own_problems(preparation_.list, division_)),
        result_(result),
        clock_(clock),
        ctx_(ctx) {}

  void all() {
    result_.series.images.resize(list_.images);
    result_.report.images.resize(list_.problems.size());
    if (options_.output.replicas > 0)
      for (ImageSeries* maps : {&result_.quality.deviation, &result_.quality.signal_to_noise})
        maps->images.resize(list_.images);
    double norm_squared = 0;
    if (division_.together() && ctx_.deterministic() && options_.solve.automatic)
      norm_squared = choice_of_first();
    if (division_.together()) preparation_.divide();
    calibrate_shared();
    const bool chooses = options_.solve.automatic;
    if (chooses && (division_.together() || division_.rank() == 0))
      norm_squared = choose(preparation_, result_.report, clock_, ctx_);
    if (chooses && division_.kind != Division::Kind::nothing) preparation_.share_choice();
    if (division_.apart) norm_squared = 0;  // that was of another form of the operator
    result_.report.density = density_name(plan_, preparation_.density());
    for (const PlannedProblem& problem : list_.problems) prepare_solver(problem);
    if (solver_) solver_->know_norm(norm_squared);
    if (solver_ && (solver_->needs_scale() || solver_->needs_data()) && list_.size() > 1) {
      const auto [scale, brightest, here] = preparation_.common_scale(list_.order);
      if (solver_->needs_scale()) scale_ = scale;
      if (solver_->needs_data()) begin_with(brightest);
      finds_lambda_ = here;
    }
    if (options_.output.replicas > 0 && is_linear()) result_.quality.g_factor.images.resize(list_.images);

    share_lambda();
    for (const std::size_t index : list_.order) {
      ctx_.throw_if_cancelled();
      if (index != solved_ahead_) reconstruct(index);
      if (list_.size() > 1)
        ctx_.reporter().progress(list_.summary.frames > 0 ? "series" : "images", ++done_,
                                 static_cast<Index>(list_.order.size()), "");
    }
    if (division_.kind == Division::Kind::problems) {
      gather_solutions<T>(std::move(solved_), list_, plan_, options_, division_, result_.report,
                          result_.series);
      clock_.charge("gather");
    }
    result_.report.solver = solver_ ? to_string(solver_->solver()) : "gridding";
    if (!solver_) return;
    result_.report.regularizers = solver_->terms();
    result_.report.lambda_choice = solver_->lambda_choice();
  }

 private:
  // Maps are estimated from several images that share them: before any of these is solved for.
  void calibrate_shared() {
    if (list_.size() > 1) preparation_.calibrate_all(list_.order);
  }

  // Sums over the samples of all ranks have other bits than those of one: rank 0 chooses as if it were alone.
  double choice_of_first() {
    double norm_squared = 0;
    if (division_.rank() == 0) {
      calibrate_shared();
      norm_squared = choose(preparation_, result_.report, clock_, ctx_);
      preparation_.shared = {};
    }
    preparation_.share_choice();
    division_.ranks->broadcast(View<double>(&norm_squared, {1}), 0);
    return norm_squared;
  }

  // λ is found on the first problem: some may be empty, the brightest one tells most.
  void begin_with(std::size_t problem) {
    const auto place = std::find(list_.order.begin(), list_.order.end(), problem);
    if (place == list_.order.end()) return;  // this rank has none
    std::rotate(list_.order.begin(), place, place + 1);
    note_trajectories(list_);
  }

  // By the rank that has it.
  void share_lambda() {
    if (division_.kind != Division::Kind::problems || !solver_ || !solver_->needs_data()) return;
    if (finds_lambda_) {
      reconstruct(list_.order.front());
      solved_ahead_ = list_.order.front();
    }
    const double lambda = division_.ranks->all_reduce(solver_->lambda_found(), Reduction::maximum);
    if (lambda > 0) solver_->adopt_lambda(lambda);
  }

  void reconstruct(std::size_t index) {
    const PlannedProblem& problem = list_.problems[index];
    SharedParts<T>& shared = preparation_.shared;
    std::vector<PreparedImage> frames = preparation_.load(problem);
    const auto following = std::next(std::find(list_.order.begin(), list_.order.end(), index));
    if (following != list_.order.end()) preparation_.load_ahead(list_.problems[*following]);
    preparation_.calibrate(problem, &frames);
    preparation_.weigh(problem, frames);
    if (solver_) prepare_solver(problem);
    std::vector<Array<double>> cells;
    if (solver_ && solver_->estimates_error()) cells = preparation_.cells(problem, frames);
    const bool noise_alone = solver_ && solver_->needs_data() && preparation_.noise_alone(frames);
    const bool last = index == list_.order.back();
    if (last) result_.series.ismrmrd_header = preparation_.let_go_of_data();
    ImageReport& report = result_.report.images[index] = describe(problem, plan_);
    std::vector<Index> frame_samples;
    for (const PreparedImage& frame : frames) frame_samples.push_back(frame.trajectory.shape()[0]);
    if (options_.output.first_model && index == list_.order.front()) {
      const auto maps = shared.maps.find(problem.maps);
      result_.first_model =
          larmor::first_model<T>(frames.front(), maps == shared.maps.end() ? nullptr : &maps->second.front());
    }
    SeriesProblem<T> model = preparation_.model(problem, std::move(frames));
    const PlannedProblem own = own_frames(problem, division_);
    const bool replicas = options_.output.replicas > 0;
    std::optional<PartialVectors> partial(std::in_place, division_.apart ? division_.ranks.get() : nullptr);
    ProblemSolution<T> solution(own, static_cast<Index>(index), model, solver_ ? &*solver_ : nullptr, scale_,
                                replicas, {std::move(cells), noise_alone}, shared, ctx_);
    Array<C> x = solution.find(preparation_.memory, result_.selection.channels.whitened ? 1 : 0,
                               result_.report, report, clock_);
    if (replicas) estimate_noise(problem, solution, model.root_density, x, std::move(frame_samples));
    partial.reset();
    if (division_.apart) x = joined_parts<T>(x, problem, division_);
    if (!problem.trajectory_again) shared.transforms.clear();
    model = {};
    if (last) shared = {};
    ctx_.arena().release();
    if (division_.rank() == 0)
      write_back<T>(x, problem, plan_, options_, result_.series);
    else if (division_.kind == Division::Kind::problems)
      solved_[index] = std::move(x);
  }

  void prepare_solver(const PlannedProblem& problem) {
    const Shape unknown = own_frames(problem, division_).unknown;
    if (options_.solve.gridding || (solver_ && solver_->shape() == unknown)) return;
    solver_.emplace(options_, ImageLayout{unknown, plan_.dims}, plan_.grids, list_.size(), ctx_);
  }

  void estimate_noise(const PlannedProblem& problem, ProblemSolution<T>& solution, View<const T> root_density,
                      View<const C> x, std::vector<Index> frame_samples) {
    Array<C> maps;
    if (is_linear())
      maps = copied_to(Device::cpu(), preparation_.shared.maps.at(problem.maps).front().maps());
    const auto solve = [&](Array<C> noisy) {
      return solution.again(std::move(noisy), preparation_.memory.placement());
    };
    Context host = ctx_.host();
    larmor::estimate_noise<T>(
        {problem, solution.samples(), root_density, x, maps, std::move(frame_samples), solve}, plan_,
        options_, result_.quality, host);
    clock_.charge("replicas");
  }

  // The g-factor compares noise that does not depend on the image.
  bool is_linear() const { return !solver_ || !solver_->needs_scale(); }

  Preparation<T> preparation_;
  const ReconstructOptions& options_;
  const ScanPlan& plan_;
  const Division& division_;
  ProblemList list_;  // with the order of this rank's problems
  Reconstruction& result_;
  StageClock& clock_;
  Context& ctx_;
  std::optional<ProblemSolver<T>> solver_;   // none: gridding
  double scale_ = 0;                         // max|Aᴴy| that all problems share; 0: of each
  std::map<std::size_t, Array<C>> solved_;   // what rank 0 is still to get
  bool finds_lambda_ = true;                 // where λ is searched for, this rank does
  std::optional<std::size_t> solved_ahead_;  // of the order, for the others' sake
  Index done_ = 0;                           // problems
};

template <typename T>
void run(Scan scan, const ReconstructOptions& options, const ProblemList& list, const Division& division,
         MemoryDecision memory, std::vector<PreparedImage> first, Reconstruction& result, StageClock& clock,
         Context& ctx) {
  Preparation<T> preparation(std::move(scan), options, result.selection, list, division, std::move(memory),
                             result.report, clock, ctx);
  if (!first.empty()) preparation.have_loaded(list.problems[list.order.front()], std::move(first));
  Run<T>(std::move(preparation), result, clock, ctx).all();
}

// Whether what a scan is selected by is found on the processors alone.
bool selected_on_host(const Scan& scan, const ReconstructOptions& options) {
  return options.prepare.estimate_delay == DelayMethod::none &&
         std::none_of(scan.readouts.begin(), scan.readouts.end(), [](const Readout& readout) {
           return readout.header.has(AcquisitionFlag::calibration);
         });
}

// Data of the first problem that take no more than a part of what memory is left.
bool fits_beside(const ProblemList& list, const ScanPlan& plan, Index coils) {
  const PlannedSeries& series = list.problems[list.order.front()].series;
  double samples = 0;
  for (const PlannedImage& image : plan.images)
    if (image.counters.slice == series.slice) samples += static_cast<double>(image.samples);
  const double bytes = samples * static_cast<double>(coils * static_cast<Index>(sizeof(std::complex<float>)) +
                                                     plan.dims * static_cast<Index>(sizeof(double)));
  return 4 * bytes < static_cast<double>(available_memory_bytes());
}

}  // namespace

Reconstruction reconstruct(Scan scan, const ReconstructOptions& options, Context& ctx,
                           const std::function<void()>& take_device) {
  Reconstruction result;
  ReconstructionReport& report = result.report;
  StageClock clock(report);
  bool waits = take_device != nullptr;
  const auto wait_for_device = [&] {
    if (!std::exchange(waits, false)) return;
    clock.charge("prepare");
    take_device();
    clock.charge("start");
  };
  ctx.reporter().progress("prepare", 0, 0, "");
  if (!selected_on_host(scan, options)) wait_for_device();
  result.selection = select_scan(scan, options, ctx);
  const ScanPlan& plan = result.selection.plan;
  const ChannelPlan& channels = result.selection.channels;
  const ProblemList list = plan_problems(plan, channels.coils, options);
  tell(list, ctx);
  report.series = list.summary;
  report.calibration = calibration_name(plan, options.coils);
  std::vector<PreparedImage> first;
  if (waits && !options.ranks.communicator && fits_beside(list, plan, channels.coils))
    first = load_series(scan, plan, channels, list.problems[list.order.front()].series, ctx);
  wait_for_device();
  const Division division = divide(list, channels.coils, options, workload_of(scan, options), ctx);
  tell(division, list, channels.coils, report, ctx);
  // Coils are those of rank 0, where other processors round otherwise.
  if (division.together())
    for (auto* matrix : {&result.selection.channels.matrix, &result.selection.channels.inverse})
      division.ranks->broadcast(matrix->view(), 0);
  if (division.kind == Division::Kind::nothing && division.rank() > 0) return result;
  MemoryDecision memory = decide_own_memory(scan, plan, list, channels, division, options, ctx);
  report.memory = memory.plan;
  report.coil_block = memory.coil_block;
  tell(memory, ctx);
  result.series.kind = options.output.kind;
  clock.charge("prepare");
  if (options.solve.precision == Precision::single_precision)
    run<float>(std::move(scan), options, list, division, std::move(memory), std::move(first), result, clock,
               ctx);
  else
    run<double>(std::move(scan), options, list, division, std::move(memory), std::move(first), result, clock,
                ctx);
  report.peak_resident_bytes = peak_resident_bytes();
  if (ctx.on_gpu()) report.peak_device_bytes = memory_use(Device::Kind::cuda).peak_bytes;
  return result;
}

}  // namespace larmor
