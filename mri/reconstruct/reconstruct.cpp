#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/solution.hpp>
#include <larmor/mri/reconstruct/steps/phase_choice.hpp>
#include <larmor/mri/reconstruct/steps/write_back.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace larmor {
namespace {

/// Processes the problems of a list in order, from data to images.
template <typename T>
class Run {
 public:
  using C = std::complex<T>;

  Run(Scan scan, const ReconstructOptions& options, Decisions decisions, Reconstruction& result,
      StageClock& clock, Context& ctx)
      : options_(options),
        decisions_(std::move(decisions)),
        list_(own_problems(decisions_.list, division_)),
        result_(result),
        clock_(clock),
        ctx_(ctx),
        preparation_(std::move(scan), options, result.selection, decisions_, result.report, clock, ctx),
        solution_(preparation_, result.report, clock, ctx) {}

  void all() {
    make_room();
    if (list_.size() > 1) preparation_.calibrate_all(list_.order);
    const bool ahead = solution_.agree(list_, [this](std::size_t index) { reconstruct(index); });
    Index done = 0;
    for (const std::size_t index : list_.order) {
      ctx_.throw_if_cancelled();
      if (done > 0 || !ahead) reconstruct(index);
      ++done;
      if (list_.size() > 1)
        ctx_.reporter().progress(list_.summary.frames > 0 ? "series" : "images", done,
                                 static_cast<Index>(list_.order.size()), "");
    }
    if (division_.kind == Divided::problems) {
      gather_solutions<T>(std::move(solved_), list_, plan_, options_, division_, result_.report,
                          result_.series, ctx_);
      clock_.charge("gather");
    }
    solution_.describe();
  }

 private:
  /// Data, maps, weights, model, solution, image.
  void reconstruct(std::size_t index) {
    const PlannedProblem& problem = list_.problems[index];
    const bool last = index == list_.order.back();
    ctx_.reporter().progress("prepare", 0, 0, "");
    std::vector<PreparedImage> frames = preparation_.load(problem);
    const auto following = std::next(std::find(list_.order.begin(), list_.order.end(), index));
    if (!last) preparation_.load_ahead(list_.problems[*following]);
    preparation_.calibrate(problem, &frames);
    preparation_.weigh(problem, frames, problem.trajectory_again);
    solution_.select(problem, index);
    const DataFacts facts = facts_of(problem, frames);
    if (last) {
      result_.series.ismrmrd_header = preparation_.let_go_of_data();
      result_.selection.let_go_of_coordinates();
    }
    if (options_.output.first_model && index == list_.order.front()) show_model(problem, frames.front());
    ImageReport& report = result_.report.images[index] = describe(problem, plan_);
    report.not_sampled = preparation_.not_sampled(frames);
    std::vector<Index> frame_samples;
    for (const PreparedImage& frame : frames) frame_samples.push_back(frame.trajectory.shape()[0]);
    SeriesProblem<T> model = preparation_.model(problem, std::move(frames));
    Array<C> x = solve(problem, model, facts, std::move(frame_samples), report);
    if (!problem.trajectory_again) preparation_.shared.transforms.clear();
    model = {};
    if (last && !options_.protocol) preparation_.shared = {};
    ctx_.arena().release();
    if (division_.rank() == 0)
      write_back<T>(x, problem, plan_, options_, result_.series, ctx_);
    else if (division_.kind == Divided::problems)
      solved_[index] = std::move(x);
  }

  void make_room() {
    result_.series.kind = options_.output.kind;
    result_.series.images.resize(list_.images);
    result_.report.images.resize(list_.problems.size());
    if (options_.output.replicas > 0)
      for (ImageSeries* maps : {&result_.quality.deviation, &result_.quality.signal_to_noise})
        maps->images.resize(list_.images);
  }

  DataFacts facts_of(const PlannedProblem& problem, const std::vector<PreparedImage>& frames) {
    const ProblemSolver<T>* const solver = solution_.solver();
    DataFacts facts;
    if (division_.kind == Divided::frames) facts.others = division_.ranks.get();
    if (solver && (solver->expects_error() || solver->needs_data() || solver->needs_scale())) {
      facts.power = preparation_.power(frames);
      facts.noise_alone = facts.power->noise_alone(result_.selection.channels.noise_variance);
      facts.coils = result_.selection.channels.coils;
      facts.frames = problem.frames();
    }
    if (options_.phase_constraint != PhaseConstraint::off) {
      Context host = ctx_.host();
      find_phase_centre(options_, plan_, division_, frames, facts, host);
    }
    return facts;
  }

  void show_model(const PlannedProblem& problem, const PreparedImage& frame) {
    const auto maps = preparation_.shared.maps.find(problem.maps);
    result_.first_model =
        first_model<T>(frame, maps == preparation_.shared.maps.end() ? nullptr : &maps->second.front());
  }

  // The solution of the whole problem, assembled from the ranks' parts.
  Array<C> solve(const PlannedProblem& problem, SeriesProblem<T>& model, const DataFacts& facts,
                 std::vector<Index> frame_samples, ImageReport& report) {
    const bool frames_apart = division_.kind == Divided::frames;
    std::optional<PartialVectors> partial(std::in_place, ctx_,
                                          frames_apart ? division_.ranks.get() : nullptr);
    Array<C> x = solution_.find(own_frames(problem, division_), model, facts, report);
    if (options_.output.replicas > 0) find_noise(problem, model, x, std::move(frame_samples));
    partial.reset();
    return frames_apart ? joined_parts<T>(x, problem, division_) : std::move(x);
  }

  void find_noise(const PlannedProblem& problem, SeriesProblem<T>& model, View<const C> x,
                  std::vector<Index> frame_samples) {
    Array<C> maps;
    if (solution_.is_linear()) {
      result_.quality.g_factor.images.resize(list_.images);
      maps = copied_to(Device::cpu(), preparation_.shared.maps.at(problem.maps).front().maps());
    }
    const auto solve = [&](Array<C> noisy) { return solution_.again(model, std::move(noisy)); };
    Context host = ctx_.host();
    estimate_noise<T>(
        {problem, solution_.samples(), model.root_density, x, maps, std::move(frame_samples), solve}, plan_,
        options_, result_.quality, host);
    clock_.charge("replicas");
  }

  const ReconstructOptions& options_;
  Decisions decisions_;
  const Division& division_ = decisions_.division;
  ProblemList list_;  // with the order of this rank's problems
  Reconstruction& result_;
  StageClock& clock_;
  Context& ctx_;
  Preparation<T> preparation_;
  Solution<T> solution_;
  const ScanPlan& plan_ = result_.selection.plan;
  std::map<std::size_t, Array<C>> solved_;  // results that rank 0 has not yet received
};

}  // namespace

Reconstruction reconstruct(Scan scan, const ReconstructOptions& options, Context& ctx) {
  Reconstruction result;
  ReconstructionReport& report = result.report;
  StageClock clock(report);
  ctx.reporter().progress("prepare", 0, 0, "");
  result.selection = select_scan(scan, options, ctx);
  Decisions decisions = decide(scan, result.selection, options, report, ctx);
  if (!decisions.division.works()) return result;
  clock.charge("prepare");
  if (options.protocol) options.protocol->recall(report);
  if (options.solve.precision == Precision::single_precision)
    Run<float>(std::move(scan), options, std::move(decisions), result, clock, ctx).all();
  else
    Run<double>(std::move(scan), options, std::move(decisions), result, clock, ctx).all();
  if (options.protocol) options.protocol->report = report;
  report.memory.peak_resident_bytes = peak_resident_bytes();
  if (ctx.on_gpu()) report.memory.peak_device_bytes = memory_use(Device::Kind::cuda).peak_bytes;
  return result;
}

}  // namespace larmor
