#pragma once

#include <larmor/solvers/problem/options.hpp>

#include <cmath>
#include <vector>

namespace larmor::detail {

/// How far the iterates of conjugate gradients on M u = c are from the solution u*, from numbers that the
/// iterations have anyway. With step lengths γ, residuals r and directions p (Hestenes & Stiefel 1952,
/// theorems 6:1 and 6:3),
///   ‖u* − u_k‖²_M = Σ_{j >= k} γ_j ‖r_j‖²  and
///   ‖u* − u_k‖² − ‖u* − u_{k+1}‖² = (‖u* − u_k‖²_M + ‖u* − u_{k+1}‖²_M) ‖p_k‖² / (p_kᴴ M p_k).
/// The sums go to the present iterate, so that what they tell of an earlier one is too little, by what is
/// left of it now (Strakoš & Tichý 2002).
class DistanceEstimate {
 public:
  /// An iteration of which step length, squared norm of the residual before, and Rayleigh quotient of the
  /// direction are these.
  void add(double step, double residual, double quotient);
  Index iterations() const { return static_cast<Index>(steps_.size()); }
  /// ‖u* − u_k‖², at least.
  double squared_from(Index k) const;
  /// The same of an iterate so far back that later ones have told of it: more than the present one's where
  /// iterations converge, as much as half of it where they hardly do. Infinite for fewer than eight
  /// iterations.
  double squared() const;
  /// ‖u* − u_k‖²_M, at least, of an iterate a quarter of all iterations back, two at least: also where the
  /// iterations are preconditioned.
  double energy() const;
  /// Iterations that are missing until it is `squared_goal`, by how it fell in between; 0: none.
  Index missing(double squared_goal) const;
  /// The numbers that were added, three an iteration, for a checkpoint.
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  Index looking_back() const;
  struct Step {
    double decrease, quotient;  // of ‖u* − u‖²_M; pᴴMp/‖p‖²
  };
  std::vector<Step> steps_;
  std::vector<double> numbers_;
};

/// Fills in SolverResult::distance, and where all iterations are done how many are missing until it is
/// `goal`; 0: until nobody sees it. squared_size: ‖x‖².
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
