#pragma once

#include <larmor/solvers/problem/options.hpp>

#include <cmath>
#include <vector>

namespace larmor::detail {

/// Distance of the iterates of conjugate gradients on M u = c from the solution u*, estimated from numbers
/// that the iterations compute anyway. With step lengths γ, residuals r and directions p (Hestenes & Stiefel
/// 1952, theorems 6:1 and 6:3), ‖u* − u_k‖²_M = Σ_{j >= k} γ_j ‖r_j‖² and ‖u* − u_k‖² − ‖u* − u_{k+1}‖² =
/// (‖u* − u_k‖²_M + ‖u* − u_{k+1}‖²_M) ‖p_k‖² / (p_kᴴ M p_k). The sums are truncated at the current iterate,
/// so that the estimate for an earlier one is too small by the current distance (Strakoš & Tichý 2002).
class DistanceEstimate {
 public:
  /// Adds an iteration with this step length, squared norm of the residual before it, and Rayleigh quotient
  /// of the direction.
  void add(double step, double residual, double quotient);
  Index iterations() const { return static_cast<Index>(steps_.size()); }
  /// Lower bound of ‖u* − u_k‖².
  double squared_from(Index k) const;
  /// The same for an iterate far enough back to be estimated by later ones: an upper bound for the current
  /// iterate if iterations converge, as little as half of it if they hardly do. Infinite for fewer than eight
  /// iterations.
  double squared() const;
  /// Lower bound of ‖u* − u_k‖²_M for the iterate a quarter of all iterations back, at least two; valid also
  /// with a preconditioner.
  double energy() const;
  /// Iterations needed until it is `squared_goal`, extrapolated from its decrease; 0: none.
  Index missing(double squared_goal) const;
  /// The added numbers, three for each iteration, for a checkpoint.
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  Index looking_back() const;
  struct Step {
    double decrease, quotient;  // of ‖u* − u‖²_M; pᴴMp/‖p‖²
  };
  std::vector<Step> steps_;
  std::vector<double> numbers_;
};

/// Fills in SolverResult::distance, and if all iterations are done, the number needed until it is `goal`; 0:
/// a default that is invisible in the image. squared_size: ‖x‖².
template <typename T>
void tell_distance(const DistanceEstimate& estimate, double goal, double squared_size,
                   SolverResult<T>& result) {
  constexpr double small_distance = 1e-2;
  if (!(goal > 0)) goal = small_distance;
  result.distance = squared_size > 0 ? std::sqrt(estimate.squared() / squared_size) : 0;
  if (result.stop_reason == StopReason::iterations)
    result.missing_iterations = estimate.missing(goal * goal * squared_size);
}

}  // namespace larmor::detail
