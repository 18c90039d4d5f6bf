#include <larmor/mri/reconstruct/beginning.hpp>
#include <larmor/mri/reconstruct/common_solver.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/solution.hpp>
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

  Run(Scan scan, const ReconstructOptions& options, Beginning beginning, Reconstruction& result,
      StageClock& clock, Context& ctx)
      : beginning_(std::move(beginning)),
        division_(beginning_.division),
        list_(own_problems(beginning_.list, division_)),
        preparation_(std::move(scan), options, result.selection, beginning_.list, division_,
                     std::move(beginning_.memory), result.report, clock, ctx),
        solver_(preparation_, ctx),
        result_(result),
        clock_(clock),
        ctx_(ctx) {}

  void all() {
    make_room();
    if (division_.together()) preparation_.divide();
    if (list_.size() > 1) preparation_.calibrate_all(list_.order);
    result_.report.density = density_name(plan_, preparation_.density());
    const bool ahead = solver_.agree(list_, [this](std::size_t index) { reconstruct(index); });
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
                          result_.series);
      clock_.charge("gather");
    }
    if (division_.ranks) result_.report.sample_bytes = of_all_ranks(preparation_.sample_bytes(), division_);
    solver_.describe(result_.report);
    if (const auto* solver = solver_.get()) solver->tell_noise_alone();
  }

 private:
  void make_room() {
    result_.series.kind = options_.output.kind;
    result_.series.images.resize(list_.images);
    result_.report.images.resize(list_.problems.size());
    if (options_.output.replicas > 0)
      for (ImageSeries* maps : {&result_.quality.deviation, &result_.quality.signal_to_noise})
        maps->images.resize(list_.images);
  }

  void reconstruct(std::size_t index) {
    const PlannedProblem& problem = list_.problems[index];
    const bool last = index == list_.order.back();
    SharedParts<T>& shared = preparation_.shared;
    std::vector<PreparedImage> frames = preparation_.load(problem);
    const auto following = std::next(std::find(list_.order.begin(), list_.order.end(), index));
    if (!last) preparation_.load_ahead(list_.problems[*following]);
    preparation_.calibrate(problem, &frames);
    preparation_.weigh(problem, frames);
    solver_.fit(problem);
    ProblemSolver<T>* const solver = solver_.get();
    DataFacts facts;
    if (solver && solver->estimates_error()) facts.cells = preparation_.cells(problem, frames);
    facts.noise_alone = solver && solver->needs_data() && preparation_.noise_alone(frames);
    if (solver && solver->expects_error()) {
      facts.power = preparation_.power(frames);
      facts.coils = result_.selection.channels.coils;
      facts.frames = problem.frames();
      facts.others = division_.kind == Divided::frames ? division_.ranks.get() : nullptr;
    }
    if (last) {
      result_.series.ismrmrd_header = preparation_.let_go_of_data();
      result_.selection.let_go_of_coordinates();
    }
    if (options_.output.first_model && index == list_.order.front()) {
      const auto maps = shared.maps.find(problem.maps);
      result_.first_model =
          first_model<T>(frames.front(), maps == shared.maps.end() ? nullptr : &maps->second.front());
    }
    const double not_sampled = preparation_.not_sampled(frames);
    std::vector<Index> frame_samples;
    for (const PreparedImage& frame : frames) frame_samples.push_back(frame.trajectory.shape()[0]);
    SeriesProblem<T> model = preparation_.model(problem, std::move(frames));
    const PlannedProblem own = own_frames(problem, division_);
    const bool replicas = options_.output.replicas > 0;
    const bool frames_apart = division_.kind == Divided::frames;
    std::optional<PartialVectors> partial(std::in_place, ctx_,
                                          frames_apart ? division_.ranks.get() : nullptr);
    ImageReport& report = result_.report.images[index] = describe(problem, plan_);
    report.not_sampled = not_sampled;
    ProblemSolution<T> solution(own, static_cast<Index>(index), model, solver, solver_.scale(), replicas,
                                std::move(facts), shared, ctx_);
    Array<C> x = solution.find(preparation_.memory, result_.selection.channels.whitened ? 1 : 0,
                               result_.report, report, clock_);
    if (replicas) find_noise(problem, solution, model.root_density, x, std::move(frame_samples));
    partial.reset();
    if (frames_apart) x = joined_parts<T>(x, problem, division_);
    if (!problem.trajectory_again) shared.transforms.clear();
    model = {};
    if (last) shared = {};
    ctx_.arena().release();
    if (division_.rank() == 0)
      write_back<T>(x, problem, plan_, options_, result_.series);
    else if (division_.kind == Divided::problems)
      solved_[index] = std::move(x);
  }

  void find_noise(const PlannedProblem& problem, ProblemSolution<T>& solution, View<const T> root_density,
                  View<const C> x, std::vector<Index> frame_samples) {
    Array<C> maps;
    if (solver_.is_linear()) {
      result_.quality.g_factor.images.resize(list_.images);
      maps = copied_to(Device::cpu(), preparation_.shared.maps.at(problem.maps).front().maps());
    }
    const auto solve = [&](Array<C> noisy) {
      return solution.again(std::move(noisy), preparation_.memory.placement());
    };
    Context host = ctx_.host();
    estimate_noise<T>({problem, solution.samples(), root_density, x, maps, std::move(frame_samples), solve},
                      plan_, options_, result_.quality, host);
    clock_.charge("replicas");
  }

  Beginning beginning_;
  const Division& division_;
  ProblemList list_;  // with the order of this rank's problems
  Preparation<T> preparation_;
  CommonSolver<T> solver_;
  Reconstruction& result_;
  StageClock& clock_;
  Context& ctx_;
  const ReconstructOptions& options_ = preparation_.options;
  const ScanPlan& plan_ = result_.selection.plan;
  std::map<std::size_t, Array<C>> solved_;  // what rank 0 is still to get
};

}  // namespace

Reconstruction reconstruct(Scan scan, const ReconstructOptions& options, Context& ctx) {
  Reconstruction result;
  ReconstructionReport& report = result.report;
  StageClock clock(report);
  Beginning beginning = begin(scan, options, result, clock, ctx);
  if (!beginning.division.works()) return result;
  if (options.solve.precision == Precision::single_precision)
    Run<float>(std::move(scan), options, std::move(beginning), result, clock, ctx).all();
  else
    Run<double>(std::move(scan), options, std::move(beginning), result, clock, ctx).all();
  report.peak_resident_bytes = peak_resident_bytes();
  if (ctx.on_gpu()) report.peak_device_bytes = memory_use(Device::Kind::cuda).peak_bytes;
  return result;
}

}  // namespace larmor
