#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/reporter.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/regularizers/registry.hpp>

#include <utility>
#include <vector>

namespace LARMOR_API larmor {

/// True if an image leaves more of its data unexplained than noise and errors of `tolerated` (a fraction of
/// the data's norm) account for. unfitted: the fraction of the data's energy that more iterations would fit.
bool misfits(double unexplained, double noise, double unfitted, double tolerated = 0);
/// `unfitted` times the data's energy, from a step along a direction d. slope: <d, AᴴW(y − Ax)>, curvature:
/// ‖√w Ad‖².
double still_fitted(double slope, double curvature);

/// Notes and warnings about solutions, given once for the first solution that they apply to.
class SolutionRemarks {
 public:
  /// The solution is still this far from the minimum. goal: the requested distance, which makes it a warning
  /// with advice; 0: the number of iterations was given, which makes it a note.
  template <typename T>
  void convergence(const SolverResult<T>& result, double goal, const std::vector<RegularizerSpec>& terms,
                   Reporter& reporter) {
    if (!(result.missing_iterations > 0) || std::exchange(convergence_, true)) return;
    tell_convergence(static_cast<Index>(result.history.size()), result.distance, result.missing_iterations,
                     goal > 0, terms, reporter);
  }
  /// The number of iterations is too small, if the user has not requested it.
  void not_converged(Index iterations, Reporter& reporter);
  /// An image leaves the fraction `unexplained` of the data's norm unexplained, `noise` of it due to noise.
  /// advice: other possible reasons.
  void misfit(double unexplained, double noise, const char* advice, Reporter& reporter);
  /// The expected error, relative to the image, has more than half of its energy.
  void uncertain(double expected_error, Reporter& reporter);
  /// The terms reduce the image to zero although the data are not zero.
  void nothing_left(const std::vector<RegularizerSpec>& terms, Reporter& reporter);

 private:
  static void tell_convergence(Index done, double distance, Index missing, bool wanted,
                               const std::vector<RegularizerSpec>& terms, Reporter& reporter);
  bool convergence_ = false, nothing_left_ = false, misfit_ = false, uncertain_ = false;
};

}  // namespace larmor
