#include "mri/reconstruct/ranks/rank_cases.hpp"

#include <larmor/mri/simulation/simulate.hpp>

#include <utility>

namespace larmor::test {
namespace {

Scan simulated(SimulatedTrajectory trajectory, std::array<Index, 3> matrix, Index readouts,
               double noise = 0.01) {
  Context ctx(Device::cpu(), {.threads = 1});
  SimulationOptions options{.trajectory = trajectory, .matrix = matrix, .readouts = readouts, .noise = noise};
  return simulate_scan(options, ctx).scan;
}
Scan noisy_spokes() {
  return simulated(SimulatedTrajectory::radial, {24, 24, 1}, 30, 0.05);
}
Scan noisy_stack() {
  return simulated(SimulatedTrajectory::stack_of_stars, {16, 16, 6}, 20, 0.05);
}

Scan half_echoes() {
  Context ctx(Device::cpu(), {.threads = 1});
  SimulationOptions options{.matrix = {24, 24, 1}, .readouts = 60, .noise = 0.05};
  options.partial_fourier = 0.6;
  options.phase = 1;
  return simulate_scan(options, ctx).scan;
}

void of_smooth_phase(ReconstructOptions& o) {
  o.phase_constraint = PhaseConstraint::automatic;
}
// With different numbers of spokes, so that the fully sampled centres of k-space differ.
void of_smooth_phase_in_frames(ReconstructOptions& o) {
  static const Array<double> bins = [] {
    Array<double> of_readouts({60});
    for (Index r = 0; r < 60; ++r) of_readouts[r] = r < 20 ? 0 : 1;
    return of_readouts;
  }();
  of_smooth_phase(o);
  o.frames.bins = bins;
}
void in_windows(ReconstructOptions& o) {
  o.frames.window = FrameWindow{6, 0};
}
// In single precision the iterations would hide differences between ranks in rounding.
void in_double_by_default(ReconstructOptions& o) {
  o.solve.precision = Precision::double_precision;
}
void with_a_search_for_lambda(ReconstructOptions& o) {
  in_double_by_default(o);
  o.solve.regularizers = {parse_regularizer("wavelet:auto")};
}
void chosen_automatically(ReconstructOptions& o) {
  in_double_by_default(o);
  o.solve.regularizers.clear();
  o.solve.iterations = 0;
  o.solve.automatic = true;
}
template <void (*first)(ReconstructOptions&), void (*then)(ReconstructOptions&)>
void both(ReconstructOptions& o) {
  first(o);
  then(o);
}

}  // namespace

// Results equal those of one process, for any division. There must be some noise, otherwise λ is not
// determined, and enough noise that few iterations are chosen: with 1 %, two hundred iterations amplify
// rounding until one process differs from itself by 1e-3.
std::vector<Case> cases_of_choices() {
  return {
      {"CoilsAndOneLambda", noisy_spokes, with_a_search_for_lambda, Split::coils, "coils", 3},
      {"CoilsOfASeriesAndOneLambda", noisy_spokes, both<in_windows, with_a_search_for_lambda>, Split::coils,
       "coils", 2},
      {"CoilsOfThreeRanksChosenAutomatically", noisy_spokes, chosen_automatically, Split::coils, "coils", 3},
      {"FramesChosenAutomatically", noisy_spokes, both<in_windows, chosen_automatically>, Split::frames,
       "frames", 2},
      {"CoilsOfHalfEchoes", half_echoes, both<of_smooth_phase, chosen_automatically>, Split::coils, "coils",
       3},
      {"FramesOfSmoothPhase", half_echoes, both<of_smooth_phase_in_frames, chosen_automatically>,
       Split::frames, "frames", 2},
      {"CoilsOfAStackChosenAutomatically", noisy_stack, chosen_automatically, Split::coils, "coils", 2}};
}

}  // namespace larmor::test
