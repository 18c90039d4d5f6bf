#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/divide.hpp>
#include <larmor/mri/reconstruct/steps/solve.hpp>

namespace LARMOR_API larmor {

/// Fills DataFacts::phase_points and related fields: the centre of k-space that all frames sample without
/// holes. Throws Error (input) if a phase constraint was requested and there is none.
void find_phase_centre(const ReconstructOptions& options, const ScanPlan& plan, const Division& division,
                       const std::vector<PreparedImage>& frames, DataFacts& facts, Context& host);

/// Errors of the default image without a phase constraint and with it.
struct HeldOutErrors {
  /// Squared error of predicted held-out samples with the constraint, relative to that without it, and its
  /// standard error, by that of single positions in k-space. 1 and 0 if fewer than two are held out.
  double ratio = 1, standard_error = 0;
  /// Squared errors relative to the energy of the data: the expected one without constraint, and the residual
  /// of all samples that the constraint adds.
  double expected = 0, added = 0;
  /// True if the constraint lowers the error: if it predicts what the scan lacks as it predicts the held-out
  /// samples, it removes more of the expected error than it adds. The gain is reduced by two standard errors.
  bool prefer_constraint() const { return (1 - ratio - 2 * standard_error) * expected > added; }
};

/// Cross-validation of a phase constraint: held-out samples of each frame are predicted by the estimate of
/// least expected error from the others, with and without the constraint. The phase is estimated from all.
/// rhs: Aᴴy; data: as returned by data_for(); facts: with held_out and phase_centre; dims: number of spatial
/// axes. Throws Error (resource) for samples in host memory, about "phase_constraint".
template <typename T>
HeldOutErrors cross_validate_phase(const SeriesProblem<T>& model, View<const std::complex<T>> rhs,
                                   const typename ProblemSolver<T>::Data& data, const DataFacts& facts,
                                   int dims, Context& ctx);

}  // namespace larmor
