#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/divide.hpp>
#include <larmor/mri/reconstruct/steps/solve.hpp>

namespace LARMOR_API larmor {

/// Fills DataFacts::phase_points and the like: the centre of k-space that all frames sample without holes.
/// Throws Error (input) where a phase constraint that was asked for has none.
void find_phase_centre(const ReconstructOptions& options, const ScanPlan& plan, const Division& division,
                       const std::vector<PreparedImage>& frames, DataFacts& facts, Context& host);

/// Squared errors of the default image's prediction of readouts that it was not made from, relative to these.
struct HeldOutErrors {
  double unconstrained = 0,
         constrained = 0;  ///< without and with a smooth phase; NaN where nothing is held out
  bool prefer_constraint() const { return constrained < unconstrained; }
};

/// Cross-validation of a phase constraint: every sixth readout of each frame is held out and predicted by the
/// estimate of least expected error of the others, with and without the constraint. The phase is that
/// of all. rhs: Aᴴy; data: as data_for() makes them; facts: with readouts and phase_centre; dims:
/// axes of space. Throws Error (resource) for samples in the host's memory, about "phase_constraint".
template <typename T>
HeldOutErrors cross_validate_phase(const SeriesProblem<T>& model, View<const std::complex<T>> rhs,
                                   const typename ProblemSolver<T>::Data& data, const DataFacts& facts,
                                   int dims, Context& ctx);

}  // namespace larmor
