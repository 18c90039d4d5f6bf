#pragma once

#include <larmor/mri/reconstruct/preparation.hpp>
#include <larmor/mri/reconstruct/steps/solve.hpp>

#include <functional>
#include <optional>

namespace larmor {

/// The solver of all problems of a list, with what they share: the scale that λ is relative to, and λ where
/// the data tell it. Empty where images are gridded. The preparation is borrowed.
template <typename T>
class CommonSolver {
 public:
  CommonSolver(Preparation<T>& preparation, Context& ctx) : preparation_(preparation), ctx_(ctx) {}

  /// Before the first problem; `own` are this rank's problems. Where λ is to be found, the brightest problem,
  /// which tells most, becomes the first one: others may be empty. `solve` is called for it on the rank that
  /// has it, for the sake of all ranks; returns whether it was.
  bool agree(ProblemList& own, const std::function<void(std::size_t)>& solve);
  /// Becomes one for this rank's frames of a problem.
  void fit(const PlannedProblem& problem);

  /// Null: images are gridded.
  ProblemSolver<T>* get() { return solver_ ? &*solver_ : nullptr; }
  /// max|Aᴴy| that all problems share; 0: each has its own.
  double scale() const { return scale_; }
  /// The g-factor compares noise that does not depend on the image.
  bool is_linear() const { return !solver_ || !solver_->needs_scale(); }
  /// What was solved with.
  void describe(ReconstructionReport& report) const;

 private:
  Preparation<T>& preparation_;
  Context& ctx_;
  std::optional<ProblemSolver<T>> solver_;
  double scale_ = 0;
};

}  // namespace larmor
