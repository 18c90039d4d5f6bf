#pragma once

#include <larmor/mri/reconstruct/preparation.hpp>
#include <larmor/mri/reconstruct/steps/solve.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace larmor {

/// The seventh step: problems of a list, with their models and shared parts, become solutions: by a solver,
/// or by gridding, which is one adjoint of the weighted samples divided by Σ|m|² of the coil maps. All
/// problems have the same solver, the same scale for λ, and the same λ if the data determine it. References
/// are borrowed.
template <typename T>
class Solution {
 public:
  using C = std::complex<T>;  ///< of vectors
  Solution(Preparation<T>& preparation, ReconstructionReport& report, StageClock& clock, Context& ctx)
      : preparation_(preparation), report_(report), clock_(clock), ctx_(ctx) {}

  /// Call this before the first problem; `own` are this rank's problems. If λ is to be found, the brightest
  /// problem, which is the most informative, becomes the first one: others may be empty. `solve` is called
  /// for it on the rank that has it, on behalf of all ranks; returns true if it was.
  bool agree(ProblemList& own, const std::function<void(std::size_t)>& solve);
  /// Makes this problem of the list the current one.
  void select(const PlannedProblem& problem, std::size_t index);

  /// Null: images are gridded.
  ProblemSolver<T>* solver() { return solver_ ? &*solver_ : nullptr; }
  /// The g-factor compares noise that does not depend on the image.
  bool is_linear() const { return !solver_ || !solver_->needs_scale(); }

  /// Solves this rank's part of the problem; the result is in host memory. The model keeps only the parts
  /// that again() needs.
  Array<C> find(const PlannedProblem& problem, SeriesProblem<T>& model, const DataFacts& facts,
                ImageReport& report);
  /// The same problem with other samples in host memory, on the scale of the first ones.
  Array<C> again(SeriesProblem<T>& model, Array<C> samples);
  /// Samples of the model solved last, in host memory; kept for replicas only.
  View<const C> samples() const { return samples_; }
  /// Fills the report with the solver and its terms.
  void describe() const;

 private:
  void fit(const PlannedProblem& problem);
  bool constrains_phase(const SeriesProblem<T>& model, View<const C> rhs,
                        const typename ProblemSolver<T>::Data& data, const DataFacts& facts);
  // State shared by the protocol's scans, before and after this problem is solved.
  void recall(bool operator_is_new);
  void remember() const;
  Array<C> gridded(const SeriesProblem<T>& model);
  static Array<C> over_map_energy(Array<C> x, const SeriesProblem<T>& model);
  void compare_with_data(View<const C> x, SeriesProblem<T>& model, double noise_variance,
                         ImageReport& report);
  Array<C> seen(const SeriesProblem<T>& model, Array<C> x);

  Preparation<T>& preparation_;
  ReconstructionReport& report_;
  StageClock& clock_;
  Context& ctx_;
  std::optional<ProblemSolver<T>> solver_;
  double common_scale_ = 0, scale_ = 0;  // max|Aᴴy| over all problems (0: each has its own), and of this one
  Array<C> samples_;
  SolutionRemarks told_;    // of gridded images
  Operator<T> constraint_;  // of the problem's phase; none: images are complex
};

}  // namespace larmor
