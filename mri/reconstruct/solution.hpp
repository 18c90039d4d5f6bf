#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/solve.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// The seventh step: a problem, its model and what it shares with others become its solution: by a solver, or
/// without one by gridding, one adjoint of the weighted samples divided by Σ|m|² of the coil maps. References
/// are borrowed.
template <typename T>
class ProblemSolution {
 public:
  using C = std::complex<T>;  ///< of vectors
  /// `number`: of the list. scale: max|Aᴴy| that all problems share; 0: of this one. keep_samples: for
  /// again().
  ProblemSolution(const PlannedProblem& problem, Index number, SeriesProblem<T>& model,
                  ProblemSolver<T>* solver, double scale, bool keep_samples, DataFacts facts,
                  SharedParts<T>& shared, Context& ctx);

  /// In host memory. Fills the reports; of the model only what again() needs is left. noise_variance: of a
  /// sample; 0: not known.
  Array<C> find(const MemoryDecision& memory, double noise_variance, ReconstructionReport& all,
                ImageReport& report, StageClock& clock);
  /// The same from other samples in host memory, which get `placement`, on the scale of the first ones.
  Array<C> again(Array<C> samples, Placement placement);
  /// Of the model, in host memory.
  View<const C> samples() const { return samples_; }

 private:
  Array<C> gridded();
  Array<C> seen(Array<C> x);

  const PlannedProblem& problem_;
  SeriesProblem<T>& model_;
  ProblemSolver<T>* solver_;
  double scale_;
  bool keep_samples_;
  DataFacts facts_;
  SharedParts<T>& shared_;
  Context& ctx_;
  Array<C> samples_;
};

}  // namespace larmor
