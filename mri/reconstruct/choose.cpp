#include <larmor/mri/automatic/automatic.hpp>
#include <larmor/mri/automatic/thinned.hpp>
#include <larmor/mri/density/density.hpp>
#include <larmor/mri/quality/kspace_region.hpp>
#include <larmor/mri/reconstruct/choose.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/regularizers/parameters.hpp>

#include <algorithm>
#include <optional>

namespace larmor {
namespace {

// Images above that are tried with density weights only, unless by a part of their data.
constexpr Index most_unknowns_tried_twice = Index{1} << 20;

// Without density weights kooshballs converge slowly, and a small part of one faster than all of it: only so
// many iterations of the part are looked at, and taken where they promise so much less error than weights.
constexpr Index most_of_part = 30;
constexpr double worth_it = 0.75;

// Distance from the minimum relative to the error that is expected: next to that it does not count.
constexpr double negligible = 0.2;

/// What was found, and ‖A‖² of the operator that it is for; 0: not known.
struct Found {
  AutomaticChoice choice;
  double norm_squared = 0;
};

template <typename T>
Index thinning(const Preparation<T>& preparation, const PreparedImage& frame) {
  const ReconstructOptions& options = preparation.options;
  const bool can = preparation.density() == DensityKind::pipe && options.coils.combine == Combine::sense &&
                   options.frames.basis.size() == 0 && options.field.frequency.size() == 0;
  const Index factor = can ? thinning_factor(frame, preparation.selection.plan.grids.solve_shape()) : 1;
  Communicator* const partners = preparation.partners();
  // Frames may differ.
  return partners ? static_cast<Index>(partners->all_reduce(static_cast<double>(factor), Reduction::maximum))
                  : factor;
}

// The k-space that errors of volumes count in: samples at the ends of readouts and some between span it. A
// ball leaves half of its cube out, where noise would tell when to stop. Slices, of whose k-space a disc
// leaves out a fifth, are judged as a whole.
Array<float> reached_by(const std::vector<PreparedImage>& frames, const Shape& pixels, Communicator* partners,
                        Context& ctx) {
  constexpr Index some = Index{1} << 16;
  Index all = 0;
  for (const PreparedImage& frame : frames) all += frame.trajectory.shape()[0];
  const Index dims = frames.front().trajectory.shape()[1], stride = std::max<Index>(8, all / some);
  std::vector<double> points;
  for (const PreparedImage& frame : frames) {
    const auto add = [&](Index j) {
      points.insert(points.end(), frame.trajectory.data() + j * dims,
                    frame.trajectory.data() + (j + 1) * dims);
    };
    const Index samples = frame.trajectory.shape()[0];
    for (Index j = 0; j < samples; j += stride) add(j);
    const auto starts = static_cast<Index>(frame.readout_starts.size());
    for (Index r = 0; r < starts; r += std::max<Index>(1, starts / some)) {
      const Index start = frame.readout_starts[static_cast<std::size_t>(r)];
      if (start > 0) add(start - 1);
      if (start < samples) add(start);
    }
  }
  const auto count = static_cast<Index>(points.size()) / dims;
  Context host = ctx.host();
  return hull_of_kspace(View<const double>(points.data(), {count, dims}), pixels, host, partners);
}

// The problem with the density of `preparation`; its normal operator is shared.
template <typename T>
SeriesProblem<T> model_of(Preparation<T>& preparation, const PlannedProblem& problem,
                          std::vector<PreparedImage> frames, Context& ctx) {
  preparation.weigh(problem, frames);
  SeriesProblem<T> model = preparation.model(problem, std::move(frames));
  normal_of<T>(*model.model, problem, preparation.memory, preparation.shared, ctx);
  return model;
}

// By a small part of a large problem.
template <typename T>
Found best_for_thinned(Preparation<T>& preparation, const PlannedProblem& problem,
                       const std::vector<DensityKind>& densities, std::vector<PreparedImage> frames,
                       Index factor, Context& ctx) {
  const ScanPlan& plan = preparation.selection.plan;
  const Shape pixels = thinned(plan.grids.solve_shape(), factor);
  PipeMenonOptions pipe;
  pipe.field_of_view = thinned(plan.grids.recon_shape(), factor);
  const PowerSpectrumEstimate power = preparation.power(frames, plan.grids.solve_shape());
  std::vector<CoilMaps<T>> sets;
  for (const CoilMaps<T>& maps : preparation.shared.maps.at(problem.maps))
    sets.push_back(thinned(maps, factor, ctx));
  SeriesOptions series;
  series.nufft.tolerance = preparation.memory.nufft_tolerance;
  series.decouple_slices = false;
  series.keep_root_density = true;
  const Array<float> region =
      plan.dims == 3 ? reached_by(frames, pixels, preparation.partners(), ctx) : Array<float>();
  std::optional<AutomaticSearch<T>> search;
  for (const DensityKind density : densities) {
    std::vector<PreparedImage> few = thinned(frames, factor);
    for (PreparedImage& frame : few)
      if (density == DensityKind::pipe) frame.weights = pipe_menon(frame.trajectory, pixels, pipe, ctx);
    const SeriesProblem<T> model =
        series_problem<T>(std::move(few), problem.series.shape, pixels, sets, series, ctx);
    const Operator<T> normal = model.model->normal(ctx);
    if (!search) {
      search.emplace(model.model->domain(), plan.dims, preparation.selection.channels.whitened ? 1 : 0, ctx);
      if (!region.empty()) search->judge_within(region);
    }
    Index most = iterations_of(preparation.options.solve);
    if (plan.dims == 3 && density == DensityKind::none) most = std::min(most, most_of_part);
    search->add(density, power, model, normal, most, false);
    ctx.arena().release();
  }
  Found found{search->choice(), 0};
  const auto& candidates = found.choice.candidates;
  if (plan.dims == 3 && candidates.size() > 1 && !found.choice.noise_alone &&
      candidates[1].choice.best.error > worth_it * candidates[0].choice.best.error)
    found.choice.chosen = 0;
  if (found.choice.best().density != DensityKind::none) return found;
  AutomaticCandidate& best = found.choice.candidates.at(found.choice.chosen);
  if (plan.dims == 3 && best.choice.best.iterations == most_of_part) best.choice.converged = true;
  // As many times more samples lie around the centre of k-space.
  double largest = best.choice.largest_eigenvalue * static_cast<double>(factor);
  if (best.choice.best.lambda > 0) {
    preparation.set_density(DensityKind::none);
    model_of(preparation, problem, std::move(frames), ctx);
    largest = found.norm_squared = largest_eigenvalue(*preparation.shared.normal, ctx);
  }
  carry_over(best, largest, plan.dims);
  return found;
}

template <typename T>
Found best_for(Preparation<T>& preparation, const PlannedProblem& problem, StageClock& clock, Context& ctx) {
  const ScanPlan& plan = preparation.selection.plan;
  const ReconstructOptions& options = preparation.options;
  auto frames = preparation.load(problem);
  preparation.calibrate(problem, &frames);
  ctx.reporter().progress("choose", 0, 0, "");
  std::vector<DensityKind> densities{preparation.density()};
  // Without weights conjugate gradients take many more iterations where sampling is uneven, for little gain.
  const Index factor = thinning(preparation, frames.front());
  if (options.density == DensityKind::automatic && densities.front() != DensityKind::none &&
      (factor > 1 || problem.unknown.size() <= most_unknowns_tried_twice) &&
      options.coils.combine == Combine::sense)
    densities.push_back(DensityKind::none);
  if (factor > 1) return best_for_thinned(preparation, problem, densities, std::move(frames), factor, ctx);
  const PowerSpectrumEstimate power = preparation.power(frames, plan.grids.solve_shape());
  AutomaticSearch<T> search(problem.unknown, plan.dims, preparation.selection.channels.whitened ? 1 : 0, ctx);
  if (plan.dims == 3)
    search.judge_within(reached_by(frames, plan.grids.solve_shape(), preparation.partners(), ctx));
  const Index most = std::min(iterations_of(options.solve), preparation.memory.krylov_vectors);
  for (const DensityKind density : densities) {
    if (frames.empty()) frames = preparation.load(problem);
    preparation.set_density(density);
    const SeriesProblem<T> model = model_of(preparation, problem, std::move(frames), ctx);
    frames.clear();
    search.add(density, power, model, *preparation.shared.normal, most, true);
    ctx.arena().release();
    clock.charge("choose");
  }
  Found found{search.choice(), 0};
  // The only image's own: others would have another one.
  const TikhonovChoice& best = found.choice.best().choice;
  if (preparation.list.size() == 1 && best.best.lambda > 0 && best.largest_is_known)
    found.norm_squared = best.largest_eigenvalue;
  return found;
}

template <typename T>
double choose_here(Preparation<T>& preparation, ReconstructionReport& report, StageClock& clock,
                   Context& ctx) {
  const ProblemList& list = preparation.list;
  preparation.ahead = true;
  Found found;
  for (Index i = 0; i < list.size(); ++i) {
    const auto place = static_cast<std::size_t>((list.size() / 2 + i) % list.size());
    found = best_for(preparation, list.problems[list.order[place]], clock, ctx);
    if (!found.choice.noise_alone) break;
  }
  preparation.ahead = false;
  const AutomaticCandidate& best = found.choice.best();
  preparation.set_density(best.density);
  SolveOptions& solve = preparation.options.solve;
  solve.automatic = false;
  if (best.choice.settled) {
    solve.distance = std::clamp(negligible * best.choice.best.error, converged_distance, 1e-2);
    solve.least_iterations = best.choice.near_best;
  } else {
    solve.iterations = best.choice.best.iterations;
    solve.iterations_chosen = true;
  }
  if (best.choice.best.lambda > 0)
    solve.regularizers.push_back({.name = "l2", .lambda = as_printed(best.choice.best.lambda)});
  tell(found.choice, ctx);
  report.automatic = std::move(found.choice);
  clock.charge("choose");
  return found.norm_squared;
}

}  // namespace

template <typename T>
double choose(Preparation<T>& preparation, const ProblemList& own, ReconstructionReport& report,
              StageClock& clock, Context& ctx) {
  const Division& division = preparation.division;
  const bool& automatic = preparation.options.solve.automatic;
  double norm_squared = 0;
  const auto calibrate_shared = [&] {
    if (own.size() > 1) preparation.calibrate_all(own.order);
  };
  if (automatic) {
    if (division.rank() == 0) {
      calibrate_shared();
      norm_squared = choose_here(preparation, report, clock, ctx);
      if (division.together()) preparation.shared = {};
    }
    if (division.kind != Divided::nothing) {
      preparation.share_choice();
      division.ranks->broadcast(View<double>(&norm_squared, {1}), 0);
    }
  }
  if (division.together()) preparation.divide();
  calibrate_shared();
  return division.kind == Divided::frames ? 0 : norm_squared;  // parts have another form of the operator
}

template double choose<float>(Preparation<float>&, const ProblemList&, ReconstructionReport&, StageClock&,
                              Context&);
template double choose<double>(Preparation<double>&, const ProblemList&, ReconstructionReport&, StageClock&,
                               Context&);

}  // namespace larmor
