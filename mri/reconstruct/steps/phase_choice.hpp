#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/divide.hpp>
#include <larmor/mri/reconstruct/steps/solve.hpp>

namespace LARMOR_API larmor {

/// Fills DataFacts::phase_points and related fields: the centre of k-space that all frames sample without
/// holes. Throws Error (input) if a phase constraint was requested and there is none.
void find_phase_centre(const ReconstructOptions& options, const ScanPlan& plan, const Division& division,
                       const std::vector<PreparedImage>& frames, DataFacts& facts, Context& host);

/// Relative squared errors of the default image's prediction of held-out readouts.
struct HeldOutErrors {
  double unconstrained = 0,
         constrained = 0;     ///< without and with a smooth phase; NaN if nothing is held out
  double standard_error = 0;  ///< of their difference, by that of single readouts; NaN for less than two
  /// True if the constraint predicts better by more than two standard errors: a false gain has a probability
  /// of 2.5 %.
  bool prefer_constraint() const { return unconstrained - constrained > 2 * standard_error; }
};

/// Cross-validation of a phase constraint: every sixth readout of each frame is held out and predicted by the
/// estimate of least expected error from the others, with and without the constraint. The phase is estimated
/// from all. rhs: Aᴴy; data: as returned by data_for(); facts: with readouts and phase_centre; dims: number
/// of spatial axes. Throws Error (resource) for samples in host memory, about "phase_constraint".
template <typename T>
HeldOutErrors cross_validate_phase(const SeriesProblem<T>& model, View<const std::complex<T>> rhs,
                                   const typename ProblemSolver<T>::Data& data, const DataFacts& facts,
                                   int dims, Context& ctx);

}  // namespace larmor
