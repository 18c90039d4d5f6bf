#include <larmor/core/format_error.hpp>
#include <larmor/mri/calibration/calibration_quality.hpp>
#include <larmor/mri/model/phase_constraint.hpp>
#include <larmor/mri/quality/kspace_region.hpp>
#include <larmor/mri/reconstruct/steps/phase_choice.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace LARMOR_API larmor {
namespace {

// Width in points of the centre of k-space from which the phase is taken: with fewer points the phase is
// inaccurate, with more it is no longer smooth.
constexpr Index least_phase_points = 4, most_phase_points = 64;
// If less than this fraction of k-space is sampled on one side only, a phase constraint has little effect.
constexpr double least_on_one_side = 0.1;

// Default images of half echoes, smooth phases and others, 1 to 20 % noise, needed 7 to 60 iterations.
constexpr Index choice_iterations = 60;
// Enough readouts to distinguish the two, and few enough that the others still make nearly the same image.
constexpr std::size_t held_out_every = 6;

// Calls take(number, first, end) with the positions of each coil's samples of each held-out readout, in an
// array of `size` samples, [coils, samples] of each frame. Returns the number of held-out readouts.
template <typename Take>
std::size_t each_held_out(Index size, const std::vector<std::vector<Index>>& readouts, const Take& take) {
  Index all = 0, row = 0;
  for (const std::vector<Index>& starts : readouts) all += starts.back();
  const Index coils = all > 0 ? size / all : 0;
  std::size_t before = 0;
  for (const std::vector<Index>& starts : readouts) {
    std::size_t number = before;
    for (Index coil = 0; coil < coils; ++coil, row += starts.back()) {
      number = before;
      for (std::size_t r = held_out_every / 2; r + 1 < starts.size(); r += held_out_every)
        take(number++, row + starts[r], row + starts[r + 1]);
    }
    before = number;
  }
  return before;
}

// 1 for samples that are kept, 0 for held-out ones.
template <typename T>
Array<std::complex<T>> remaining_samples(const Shape& shape,
                                         const std::vector<std::vector<Index>>& readouts) {
  Array<std::complex<T>> mask = filled<std::complex<T>>(shape, 1);
  each_held_out(mask.size(), readouts, [&](std::size_t, Index first, Index end) {
    std::fill(&mask[first], &mask[first] + (end - first), 0);
  });
  return mask;
}

// Energy of each held-out readout.
template <typename T>
Array<double> held_out_energies(const Array<std::complex<T>>& samples,
                                const std::vector<std::vector<Index>>& readouts) {
  const auto count = each_held_out(samples.size(), readouts, [](std::size_t, Index, Index) {});
  auto energies = filled<double>({static_cast<Index>(count)}, 0);
  each_held_out(samples.size(), readouts, [&](std::size_t number, Index first, Index end) {
    for (Index i = first; i < end; ++i) energies[static_cast<Index>(number)] += std::norm(samples[i]);
  });
  return energies;
}

}  // namespace

void find_phase_centre(const ReconstructOptions& options, const ScanPlan& plan, const Division& division,
                       const std::vector<PreparedImage>& frames, DataFacts& facts, Context& host) {
  const bool chosen = options.phase_constraint == PhaseConstraint::automatic;
  const Shape recon = plan.grids.recon_shape();
  Index points = std::min(most_phase_points, *std::min_element(recon.begin(), recon.end()));
  for (const PreparedImage& frame : frames) {
    points = sampled_centre(frame.trajectory, recon, points, host);
    if (chosen) facts.readouts.push_back(frame.readout_starts);
  }
  if (division.kind == Divided::frames)
    points =
        static_cast<Index>(-division.ranks->all_reduce(-static_cast<double>(points), Reduction::maximum));
  if (points < least_phase_points && !chosen)
    throw input_error(
        "a phase constraint needs the centre of k-space, of which only {} points are sampled without holes, "
        "expected {} or more: do not use the constraint",
        points, least_phase_points)
        .about("phase_constraint");
  if (chosen) {
    double one_side = 0;
    for (const PreparedImage& frame : frames)
      one_side = std::max(one_side, part_on_one_side(frame.trajectory, plan.grids.solve_shape(), host));
    if (division.kind == Divided::frames) one_side = division.ranks->all_reduce(one_side, Reduction::maximum);
    if (points < least_phase_points || one_side < least_on_one_side) {
      host.reporter().note(
          fmt::format("phase constraint off: {:.0f} % of the sampled points of k-space have no counterpart "
                      "on the other side, and the centre without holes is {} points wide",
                      100 * one_side, points));
      return;
    }
  }
  facts.phase_points = points;
  facts.phase_centre = plan.grids.solve_shape();
  for (int axis = 0; axis < recon.rank(); ++axis)
    facts.phase_centre[axis] = std::max<Index>(1, points * facts.phase_centre[axis] / recon[axis]);
}

template <typename T>
HeldOutErrors cross_validate_phase(const SeriesProblem<T>& model, View<const std::complex<T>> rhs,
                                   const typename ProblemSolver<T>::Data& data, const DataFacts& facts,
                                   int dims, Context& ctx) {
  using C = std::complex<T>;
  if (ctx.on_gpu() && model.samples.placement() == Placement::host)
    throw resource_error(
        "choosing a phase constraint needs all samples in the device's memory, which is too small: choose on "
        "or off")
        .about("phase_constraint");
  const Operator<T> A = model.model;
  const Diagonal<T> remaining(
      moved_to(ctx.device(), remaining_samples<T>(model.samples.shape(), facts.readouts)));
  const Operator<T> normal = adjoint(A) * remaining * A;
  const Array<C> own = A.adjoint(remaining.apply(model.samples, ctx), ctx);
  const auto held_out = [&](View<const C> samples) {
    Array<double> energies = held_out_energies<T>(copied_to(Device::cpu(), samples), facts.readouts);
    // Ranks have coils of the same readouts, or readouts of their own.
    if (model.ranks && !facts.others) model.ranks->all_reduce(energies.view());
    return energies;
  };
  PriorKnowledge known = with_noise_of_data<T>(adjoint(A) * A, rhs, data, ctx);
  const auto error = [&](const Operator<T>& constrained_normal, View<const C> b,
                         const Operator<T>& constraint) {
    const LeastError<T> estimate(constrained_normal, b, known, dims, ctx);
    auto solved = conjugate_gradient<T>(Problem<T>{estimate.normal(), clone(b)},
                                        {.iterations = choice_iterations,
                                         .energy = estimate.negligible_energy(),
                                         .preconditioner = estimate.preconditioner()},
                                        ctx);
    if (constraint) solved.x = constraint.apply(solved.x, ctx);
    Array<C> left = A.apply(solved.x, ctx);
    axpy<T>(-1, model.samples, left, ctx);
    return held_out(left);
  };
  const Array<double> unconstrained = error(normal, own, {});
  // The phase is estimated from all readouts, because gaps in the centre of k-space would corrupt it.
  const Operator<T> constraint =
      phase_constraint<T>(smooth_phase<T>(adjoint(A) * A, rhs, facts.phase_centre, ctx));
  known.real = true;
  const Array<double> constrained =
      error(adjoint(constraint) * normal * constraint, constraint.adjoint(own, ctx), constraint);
  const auto sum = [](const Array<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  double squared_gains = 0;
  for (Index r = 0; r < constrained.size(); ++r)
    squared_gains += std::pow(unconstrained[r] - constrained[r], 2);
  std::array<double, 5> sums{sum(held_out(model.samples)), sum(unconstrained), sum(constrained),
                             squared_gains, static_cast<double>(constrained.size())};
  if (facts.others) facts.others->all_reduce(View<double>(sums));
  const double energy = sums[0], count = sums[4], gain = sums[1] - sums[2];
  const double variance = (sums[3] - gain * gain / count) * count / (count - 1);
  return {sums[1] / energy, sums[2] / energy, std::sqrt(std::max(0.0, variance)) / energy};
}

#define LARMOR_INSTANTIATE(T)                                                                          \
  template HeldOutErrors cross_validate_phase<T>(const SeriesProblem<T>&, View<const std::complex<T>>, \
                                                 const ProblemSolver<T>::Data&, const DataFacts&, int, \
                                                 Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
