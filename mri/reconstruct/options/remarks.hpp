#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/reporter.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/regularizers/registry.hpp>

#include <utility>
#include <vector>

namespace LARMOR_API larmor {

/// What is said of solutions, of the first one of several that it is true of.
class SolutionRemarks {
 public:
  /// That it stops short of the minimum, and by how much. goal: the distance that the iterations were to come
  /// to, a warning then, which says what to do; 0: there were to be so many of them, a note.
  template <typename T>
  void convergence(const SolverResult<T>& result, double goal, const std::vector<RegularizerSpec>& terms,
                   Reporter& reporter) {
    if (!(result.missing_iterations > 0) || std::exchange(convergence_, true)) return;
    tell_convergence(static_cast<Index>(result.history.size()), result.distance, result.missing_iterations,
                     goal > 0, terms, reporter);
  }
  /// That so many iterations are too few, where nobody has asked for a number.
  void not_converged(Index iterations, Reporter& reporter);
  /// That an image leaves this part of the data's norm unexplained, of which noise is the second; terms: λ
  /// may be why.
  void misfit(double unexplained, double noise, bool terms, Reporter& reporter);
  /// That terms leave an image of zeros, and the data are none.
  void nothing_left(const std::vector<RegularizerSpec>& terms, Reporter& reporter);

 private:
  static void tell_convergence(Index done, double distance, Index missing, bool wanted,
                               const std::vector<RegularizerSpec>& terms, Reporter& reporter);
  bool convergence_ = false, nothing_left_ = false, misfit_ = false;
};

}  // namespace larmor
