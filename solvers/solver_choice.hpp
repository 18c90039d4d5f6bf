#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/registry.hpp>

#include <optional>

namespace LARMOR_API larmor {

/// Chooses the solver of problems with one normal operator by their terms and by how the operator is
/// conditioned. A wavelet term goes to FISTA where most eigenvalues are near the largest one (Cartesian
/// scans). Where they are far below it, FISTA's steps, 1/‖A‖², are too short: there ADMM takes the term with
/// fixed shifts. It has circulant preconditioners there, for total variation too, and ρ by λ and by how large
/// the image is going to be.
template <typename T>
class SolverChoice {
 public:
  /// `rank`: axes of space. What is found is kept for later problems.
  explicit SolverChoice(int rank) : rank_(rank) {}
  /// Returns the solver; sets its options, the problem's ‖A‖² and, if need be, another form of its term.
  Solver prepare(Problem<T>& problem, SolverOptions<T>& options, Context& ctx);
  /// A solution of ADMM with fixed shifts keeps what is peculiar to these. From there, for a problem as it
  /// was before it was prepared, a few iterations of FISTA with other shifts each, within `iterations` for
  /// all.
  static void finish(const Problem<T>& problem, Index iterations, SolverResult<T>& result, Context& ctx);
  /// The mean eigenvalue relative to the largest one, where images are seen at all; 0: it was not needed.
  double mean_eigenvalue() const { return mean_; }
  /// The operator has changed.
  void forget() { mean_ = 0, preconditioner_ = {}, same_data_ = false; }
  /// The data have: what is found for them does not depend on those before.
  void forget_data() { same_data_ = false; }

 private:
  int rank_;
  double mean_ = 0;
  double size_ = 0;  // 1 over the image's largest value, about
  bool same_data_ = false;
  double rho_ = 0;  // the preconditioner's
  Operator<T> preconditioner_;
};

}  // namespace larmor
