#include <larmor/mri/automatic/automatic.hpp>
#include <larmor/mri/automatic/thinned.hpp>
#include <larmor/mri/density/density.hpp>
#include <larmor/mri/reconstruct/choose.hpp>

#include <algorithm>

namespace larmor {
namespace {

// Images above that are tried with density weights only.
constexpr Index most_unknowns_tried_twice = Index{1} << 20;

template <typename T>
bool thins(const Preparation<T>& preparation, const PreparedImage& frame) {
  const ReconstructOptions& options = preparation.options;
  return preparation.density() == DensityKind::pipe && options.coils.combine == Combine::sense &&
         options.frames.basis.size() == 0 && options.field.frequency.size() == 0 &&
         thinning_factor(preparation.selection.plan.grids.solve_shape()) > 1 && can_be_thinned(frame);
}

// By a small part of a large problem.
template <typename T>
AutomaticChoice best_for_thinned(Preparation<T>& preparation, const PlannedProblem& problem,
                                 std::vector<PreparedImage> frames, Context& ctx) {
  const ScanPlan& plan = preparation.selection.plan;
  const Shape whole = plan.grids.solve_shape();
  const Index factor = thinning_factor(whole);
  frames = thinned(frames, factor);
  const Shape pixels = thinned(whole, factor);
  PipeMenonOptions pipe;
  pipe.field_of_view = thinned(plan.grids.recon_shape(), factor);
  PowerSpectrumEstimate power(pixels);
  for (PreparedImage& frame : frames) {
    power.add(frame.trajectory, frame.samples);
    frame.weights = pipe_menon(frame.trajectory, pixels, pipe, ctx);
  }
  std::vector<CoilMaps<T>> sets;
  for (const CoilMaps<T>& maps : preparation.shared.maps.at(problem.maps))
    sets.push_back(thinned(maps, factor, ctx));
  SeriesOptions series;
  series.nufft.tolerance = preparation.memory.nufft_tolerance;
  series.decouple_slices = false;
  series.keep_root_density = true;
  const SeriesProblem<T> model =
      series_problem<T>(std::move(frames), problem.series.shape, pixels, sets, series, ctx);
  const Operator<T> normal = model.model->normal(ctx);
  AutomaticSearch<T> search(model.model->domain(), plan.dims, preparation.selection.channels.whitened ? 1 : 0,
                            ctx);
  search.add(DensityKind::pipe, power, model, normal, iterations_of(preparation.options.solve), false);
  ctx.arena().release();
  return search.choice();
}

template <typename T>
AutomaticChoice best_for(Preparation<T>& preparation, const PlannedProblem& problem, StageClock& clock,
                         Context& ctx) {
  const ScanPlan& plan = preparation.selection.plan;
  const ReconstructOptions& options = preparation.options;
  auto frames = preparation.load(problem);
  preparation.calibrate(problem, &frames);
  if (thins(preparation, frames.front()))
    return best_for_thinned(preparation, problem, std::move(frames), ctx);
  PowerSpectrumEstimate power(plan.grids.solve_shape());
  for (const PreparedImage& frame : frames) power.add(frame.trajectory, frame.samples);
  AutomaticSearch<T> search(problem.unknown, plan.dims, preparation.selection.channels.whitened ? 1 : 0, ctx);
  std::vector<DensityKind> densities{preparation.density()};
  // Without weights conjugate gradients take many more iterations where sampling is uneven, for little gain.
  if (options.density == DensityKind::automatic && densities.front() != DensityKind::none &&
      problem.unknown.size() <= most_unknowns_tried_twice && options.coils.combine == Combine::sense)
    densities.push_back(DensityKind::none);
  const Index most = std::min(iterations_of(options.solve), preparation.memory.krylov_vectors);
  for (const DensityKind density : densities) {
    if (frames.empty()) frames = preparation.load(problem);
    preparation.set_density(density);
    preparation.weigh(problem, frames);
    const SeriesProblem<T> model = preparation.model(problem, std::move(frames));
    frames.clear();
    const auto [normal, made] =
        normal_of<T>(*model.model, problem, preparation.memory, preparation.shared, ctx);
    search.add(density, power, model, *normal, most);
    ctx.arena().release();
    clock.charge("choose");
  }
  return search.choice();
}

}  // namespace

template <typename T>
void choose(Preparation<T>& preparation, ReconstructionReport& report, StageClock& clock, Context& ctx) {
  const ProblemList& list = preparation.list;
  preparation.ahead = true;
  AutomaticChoice choice;
  for (Index i = 0; i < list.size(); ++i) {
    const auto place = static_cast<std::size_t>((list.size() / 2 + i) % list.size());
    choice = best_for(preparation, list.problems[list.order[place]], clock, ctx);
    if (!choice.noise_alone) break;
  }
  preparation.ahead = false;
  const AutomaticCandidate& best = choice.best();
  preparation.set_density(best.density);
  SolveOptions& solve = preparation.options.solve;
  solve.automatic = false;
  solve.iterations = best.choice.best.iterations;
  if (best.choice.best.lambda > 0)
    solve.regularizers.push_back({.name = "l2", .lambda = best.choice.best.lambda});
  tell(choice, ctx);
  report.automatic = std::move(choice);
  clock.charge("choose");
}

template void choose<float>(Preparation<float>&, ReconstructionReport&, StageClock&, Context&);
template void choose<double>(Preparation<double>&, ReconstructionReport&, StageClock&, Context&);

}  // namespace larmor
