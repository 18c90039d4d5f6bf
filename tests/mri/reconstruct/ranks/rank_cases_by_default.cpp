#include "mri/reconstruct/ranks/rank_cases.hpp"

#include <larmor/mri/simulation/simulate.hpp>

#include <utility>

namespace larmor::test {
namespace {

Scan simulated(SimulatedTrajectory trajectory, std::array<Index, 3> matrix, Index readouts,
               double noise = 0.01) {
  Context ctx(Device::cpu(), {.threads = 1});
  SimulationOptions options;
  options.noise = noise;
  options.trajectory = trajectory;
  options.matrix = matrix;
  options.readouts = readouts;
  return simulate_scan(options, ctx).scan;
}
Scan noisy_spokes() {
  return simulated(SimulatedTrajectory::radial, {24, 24, 1}, 30, 0.05);
}
Scan spiral() {
  return simulated(SimulatedTrajectory::spiral, {24, 24, 1}, 6);
}
Scan kooshball() {
  return simulated(SimulatedTrajectory::kooshball, {12, 12, 12}, 200);
}
Scan stack_of_stars() {
  return simulated(SimulatedTrajectory::stack_of_stars, {16, 16, 6}, 20);
}
Scan noisy_stack() {
  return simulated(SimulatedTrajectory::stack_of_stars, {16, 16, 6}, 20, 0.05);
}

void in_windows(ReconstructOptions& o) {
  o.frames.window = FrameWindow{6, 0};
}
// Of a part of the samples another kernel would be the fastest: with the tolerance that transforms have by
// default the image tells whether every rank takes that of all. In single precision iterations would hide it
// under rounding.
void in_double_by_default(ReconstructOptions& o) {
  o.solve.precision = Precision::double_precision;
}
void gridded(ReconstructOptions& o) {
  o.solve.regularizers.clear();
  o.solve.gridding = true;
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

// They are those of one process, whatever is divided. Of noise there has to be some, or λ is undetermined,
// and enough that few iterations are chosen: with 1 % of it two hundred amplify rounding until one process
// differs from itself by 1e-3.
std::vector<Case> cases_of_choices() {
  return {
      {"CoilsAndOneLambda", noisy_spokes, with_a_search_for_lambda, Split::coils, "coils", 3, 1e-5, false},
      {"CoilsOfASeriesAndOneLambda", noisy_spokes, both<in_windows, with_a_search_for_lambda>, Split::coils,
       "coils", 2, 1e-5, false},
      {"FramesAndOneLambda", noisy_spokes, both<in_windows, with_a_search_for_lambda>, Split::frames,
       "frames", 3, 1e-5, false},
      {"SamplesAndOneLambda", noisy_spokes, with_a_search_for_lambda, Split::samples, "samples", 3, 1e-5,
       false},
      {"SamplesOfASeriesAndOneLambda", noisy_spokes, both<in_windows, with_a_search_for_lambda>,
       Split::samples, "samples", 2, 1e-5, false},
      {"SamplesChosenAutomatically", noisy_spokes, chosen_automatically, Split::samples, "samples", 3, 1e-5,
       false},
      {"CoilsOfThreeRanksChosenAutomatically", noisy_spokes, chosen_automatically, Split::coils, "coils", 3,
       1e-5, false},
      {"FramesChosenAutomatically", noisy_spokes, both<in_windows, chosen_automatically>, Split::frames,
       "frames", 2, 1e-5, false},
      {"SamplesOfAStackChosenAutomatically", noisy_stack, chosen_automatically, Split::samples, "samples", 3,
       1e-5, false},
      {"CoilsOfAStackChosenAutomatically", noisy_stack, chosen_automatically, Split::coils, "coils", 2, 1e-5,
       false}};
}

std::vector<Case> cases_of_samples() {
  const std::pair<const char*, Scan (*)()> scans[] = {
      {"Radial", one_slice}, {"Spiral", spiral}, {"Kooshball", kooshball}, {"StackOfStars", stack_of_stars}};
  const std::pair<const char*, void (*)(ReconstructOptions&)> ways[] = {
      {"Gridded", gridded},
      {"GriddedWithWeightsOfCells",
       [](ReconstructOptions& o) {
         gridded(o);
         o.density = DensityKind::voronoi;
       }},
      {"Solved", in_double_by_default},
      {"SolvedWithWeights",
       [](ReconstructOptions& o) {
         in_double_by_default(o);
         o.density = DensityKind::pipe;
       }},
      {"SolvedWithoutToeplitz", [](ReconstructOptions& o) {
         in_double_by_default(o);
         o.transform.toeplitz = NormalOptions::Toeplitz::off;
       }}};
  std::vector<Case> cases{{"SamplesOfASeriesSolved", one_slice, both<in_windows, in_double_by_default>,
                           Split::samples, "samples", 3, 1e-5, false}};
  int ranks = 3;
  for (const auto& [scan, make] : scans)
    for (const auto& [way, change] : ways) {
      // Cells of samples in three dimensions take long.
      if (change == ways[1].second && (make == kooshball || make == stack_of_stars)) continue;
      cases.push_back({std::string("SamplesOf") + scan + way, make, change, Split::samples, "samples", ranks,
                       1e-5, false});
      ranks = 5 - ranks;
    }
  return cases;
}

}  // namespace larmor::test
