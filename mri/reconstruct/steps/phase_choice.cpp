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

// Half of the resolution is half of the extent of k-space.
bool within_half(View<const double> trajectory, Index sample) {
  const Index dims = trajectory.shape()[1];
  const double* const k = &trajectory[sample * dims];
  return std::all_of(k, k + dims, [](double along) { return std::abs(along) < 0.25; });
}

// Enough readouts to distinguish the two, and few enough that the others still make nearly the same image.
constexpr std::size_t held_out_every = 6;

// The readouts that the scan would lack at half its resolution, because their counterparts determine the rest
// of the image as these readouts would. If there are none, as for spokes, every sixth one.
std::vector<std::uint8_t> held_out_samples(const PreparedImage& frame, const Shape& grid, Context& host) {
  const std::vector<std::uint8_t> lacking = lacking_at_half_resolution(frame.trajectory, grid, host);
  std::vector<std::uint8_t> held_out(lacking.size());
  const auto hold_out = [&](std::size_t readout) {
    std::fill(held_out.begin() + frame.readout_starts[readout],
              held_out.begin() + frame.readout_starts[readout + 1], std::uint8_t{1});
  };
  const std::size_t readouts = frame.readout_starts.size() - 1;
  bool any = false;
  for (std::size_t r = 0; r < readouts; ++r) {
    Index inside = 0, alone = 0;
    for (Index j = frame.readout_starts[r]; j < frame.readout_starts[r + 1]; ++j) {
      inside += within_half(frame.trajectory, j) ? 1 : 0;
      alone += lacking[static_cast<std::size_t>(j)];
    }
    if (2 * alone <= inside) continue;
    hold_out(r);
    any = true;
  }
  for (std::size_t r = held_out_every / 2; !any && r < readouts; r += held_out_every) hold_out(r);
  return held_out;
}

// Calls take(number, sample) for the held-out samples of all coils in an array of `size` samples, [coils,
// samples] of each frame; number: of its position in k-space. Returns their number.
template <typename Take>
Index each_held_out(Index size, const std::vector<std::vector<std::uint8_t>>& held_out, const Take& take) {
  Index all = 0, first = 0, before = 0;
  for (const auto& frame : held_out) all += static_cast<Index>(frame.size());
  const Index coils = all > 0 ? size / all : 0;
  for (const auto& frame : held_out) {
    Index number = before;
    for (Index coil = 0; coil < coils; ++coil, first += static_cast<Index>(frame.size())) {
      number = before;
      for (std::size_t j = 0; j < frame.size(); ++j)
        if (frame[j] != 0) take(number++, first + static_cast<Index>(j));
    }
    before = number;
  }
  return before;
}

// Residual of the estimate of least error from a right-hand side. expected: its relative error, unless null.
template <typename T>
Array<std::complex<T>> residual_of(const SeriesProblem<T>& model, Operator<T> normal,
                                   View<const std::complex<T>> rhs, const Operator<T>& constraint,
                                   PriorKnowledge known, int dims, double* expected, Context& ctx) {
  Array<std::complex<T>> b = constraint ? constraint.adjoint(rhs, ctx) : clone(rhs);
  if (constraint) normal = adjoint(constraint) * normal * constraint;
  known.real = static_cast<bool>(constraint);
  const LeastError<T> estimate(normal, b, known, dims, ctx);
  auto solved = conjugate_gradient<T>(Problem<T>{estimate.normal(), std::move(b)},
                                      {.iterations = choice_iterations,
                                       .energy = estimate.negligible_energy(),
                                       .preconditioner = estimate.preconditioner()},
                                      ctx);
  if (expected) *expected = estimate.expected_error(solved.x, ctx).error;
  if (constraint) solved.x = constraint.apply(solved.x, ctx);
  Array<std::complex<T>> left = model.model->apply(solved.x, ctx);
  axpy<T>(-1, model.samples, left, ctx);
  return left;
}

}  // namespace

void find_phase_centre(const ReconstructOptions& options, const ScanPlan& plan, const Division& division,
                       const std::vector<PreparedImage>& frames, DataFacts& facts, Context& host) {
  const bool chosen = options.phase_constraint == PhaseConstraint::automatic;
  const Shape recon = plan.grids.recon_shape();
  Index points = std::min(most_phase_points, *std::min_element(recon.begin(), recon.end()));
  for (const PreparedImage& frame : frames) {
    points = sampled_centre(frame.trajectory, recon, points, host);
    if (chosen) facts.held_out.push_back(held_out_samples(frame, plan.grids.solve_shape(), host));
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
  Array<C> mask = filled<C>(model.samples.shape(), 1);
  const Index count = each_held_out(mask.size(), facts.held_out, [&](Index, Index i) { mask[i] = 0; });
  const Diagonal<T> remaining(moved_to(ctx.device(), std::move(mask)));
  const Operator<T> all = adjoint(A) * A, normal = adjoint(A) * remaining * A;
  const Array<C> own = A.adjoint(remaining.apply(model.samples, ctx), ctx);
  PriorKnowledge known = with_noise_of_data<T>(all, rhs, data, ctx);
  const auto over_ranks = [&](View<double> sums) {
    // Ranks have coils of the same readouts, or readouts of their own.
    if (model.ranks && !facts.others) model.ranks->all_reduce(sums);
  };
  const auto held_out = [&](View<const C> samples) {
    const Array<C> values = copied_to(Device::cpu(), samples);
    auto energies = filled<double>({count}, 0);
    each_held_out(values.size(), facts.held_out,
                  [&](Index number, Index i) { energies[number] += std::norm(values[i]); });
    over_ranks(energies.view());
    return energies;
  };
  const auto residual = [&](const Operator<T>& fitted, View<const C> b, const Operator<T>& constraint,
                            double* expected = nullptr) {
    return residual_of<T>(model, fitted, b, constraint, known, dims, expected, ctx);
  };
  // The phase is estimated from all readouts, because gaps in the centre of k-space would corrupt it.
  const Operator<T> constraint = phase_constraint<T>(smooth_phase<T>(all, rhs, facts.phase_centre, ctx));
  const Array<double> unconstrained = held_out(residual(normal, own, {})),
                      constrained = held_out(residual(normal, own, constraint));
  std::array<double, 4> sums{0, 0, 0, static_cast<double>(count)};
  for (Index i = 0; i < count; ++i) {
    const double gain = unconstrained[i] - constrained[i];
    sums[0] += unconstrained[i], sums[1] += gain, sums[2] += gain * gain;
  }
  if (facts.others) facts.others->all_reduce(View<double>(sums));
  const auto [error, gain, squared_gains, positions] = sums;
  if (positions < 2) return {};
  const double variance = (squared_gains - gain * gain / positions) * positions / (positions - 1);
  double expected = 0;
  // Norms are sums over the frames of other ranks already.
  std::array<double, 3> energies{squared_norm<T>(model.samples, ctx),
                                 squared_norm<T>(residual(all, rhs, constraint), ctx),
                                 squared_norm<T>(residual(all, rhs, {}, &expected), ctx)};
  over_ranks(View<double>(energies));
  // Noise that is stated too large, and residuals that have not converged, may make these negative.
  const double signal = std::max(0.0, 1 - known.noise_variance * known.power.weight() / energies[0]);
  const double added = std::max(0.0, (energies[1] - energies[2]) / energies[0]);
  return {1 - gain / error, std::sqrt(std::max(0.0, variance)) / error, expected * expected * signal, added};
}

#define LARMOR_INSTANTIATE(T)                                                                          \
  template HeldOutErrors cross_validate_phase<T>(const SeriesProblem<T>&, View<const std::complex<T>>, \
                                                 const ProblemSolver<T>::Data&, const DataFacts&, int, \
                                                 Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
