#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/vectors/shared_array.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Reason why a solver stopped.
enum class StopReason {
  iterations,  ///< the maximum number was reached
  tolerance,   ///< SolverOptions::tolerance is met, or the limit of rounding
  distance,    ///< SolverOptions::distance or SolverOptions::energy is met
  residual,    ///< the requested residual is met
  null_space,  ///< the next direction is in the null space of the data
  zero_data,   ///< Aᴴy is zero, and so is the minimum
  asked        ///< SolverHooks::step requested it
};
/// As in reports: "null space".
const char* to_string(StopReason reason);

/// One line of a solver's history.
struct SolverStep {
  Index iteration;
  /// Norm of a (sub)gradient of the objective relative to that of Aᴴy: 0 at the minimum. For conjugate
  /// gradients ‖(AᴴA + λ‖A‖²)x − Aᴴy‖ / ‖Aᴴy‖.
  double gradient;
  /// The function that is minimised, ½‖Ax − y‖² + ½λ‖A‖²‖x‖² or with the other terms, in the units of the
  /// data; less ½‖y‖² for a Problem without data_energy. NaN unless SolverOptions::objective asks for it:
  /// conjugate gradients always know it.
  double objective;
  /// Solvers that split W x from its copy z: ‖W x − z‖ relative to the larger of the two norms.
  double constraint = 0;
};

/// Final state of ADMM, in its own units: it can resume from there for a similar problem, with another λ or
/// another right-hand side if `scale` is given.
template <typename T>
struct SplittingState {
  Array<std::complex<T>> unknowns;
  std::vector<Array<std::complex<T>>> multipliers;  ///< of each term, over rho and its weight
  double rho = 0;
};

/// The result of a solver, and its history.
template <typename T>
struct SolverResult {
  Array<std::complex<T>> x;
  std::vector<SolverStep> history;
  StopReason stop_reason = StopReason::iterations;
  double operator_norm_squared = 0;  ///< ‖A‖² that multiplies λ; 0 if it was not needed
  double scale = 0;                  ///< max|Aᴴy| that the problem was divided by; 0 if it was not needed
  double step_size = 0;              ///< along the gradient, in the units of 1/‖A‖²; 0: it varies
  /// Estimate of ‖x − minimum‖ / ‖x‖. Conjugate gradients without a preconditioner, and LSMR: for an earlier
  /// iterate (Hestenes & Stiefel 1952), infinite if iterations were too few. Other solvers if
  /// SolverOptions::distance is set: from the decrease of the iterates' movement. Otherwise NaN.
  double distance = std::numeric_limits<double>::quiet_NaN();
  /// Conjugate gradients: lower bound of ‖x − minimum‖²_M / ‖minimum‖²_M of an earlier iterate with the
  /// objective's matrix M. Other solvers: 0.
  double energy = 0;
  Index missing_iterations = 0;  ///< about, until that is SolverOptions::distance, or a hundredth
  Index normal_applies = 0;      ///< number of applications of AᴴA, without the power iteration
  std::shared_ptr<const SplittingState<T>> state{};  ///< ADMM, if SolverOptions::keep_state is set
};

/// State from which a solver continues after the end of an iteration with the same bits as without a break.
/// Vectors are in host memory; their meaning depends on the solver.
template <typename T>
struct Checkpoint {
  std::string solver;
  Index iteration = 0;
  std::vector<Array<std::complex<T>>> vectors;
  std::vector<double> scalars;
};

/// Callbacks of a solver. Both are called between iterations, on the thread of the caller.
template <typename T>
struct SolverHooks {
  /// The step and the iterate in the image's units, on the solver's device. True: the solver stops with this
  /// iterate.
  std::function<bool(const SolverStep&, View<const std::complex<T>>)> step;
  Index checkpoint_every = 0;  ///< iterations; 0: never
  std::function<void(Checkpoint<T>)> checkpoint;
  /// Checkpoint to resume from. Throws Error (input) if it belongs to another solver or problem.
  const Checkpoint<T>* resume = nullptr;
};

/// Options of ADMM's penalty and inner solver.
struct AdmmOptions {
  double rho = 0;       ///< first weight of ½‖W x − z‖² / ‖W‖² in the scaled problem; 0: chosen
  bool balance = true;  ///< change rho so that primal and dual residuals fall together
  /// Maximum number of conjugate gradient iterations per iteration. Each run continues the last one.
  Index inner_iterations = 3;
  double inner_tolerance = 0.1;  ///< their tolerance: residual relative to that at their start
};

/// Options common to all solvers of a Problem, and those of single solvers.
template <typename T>
struct SolverOptions {
  Index iterations = 100;
  /// Stop when SolverStep::gradient and SolverStep::constraint fall below this; 0: after exactly
  /// `iterations`.
  double tolerance = 0;
  /// Stop when SolverResult::distance falls below this; 0: no. LSMR, and conjugate gradients without a
  /// Tikhonov term, report it but do not stop by it.
  double distance = 0;
  /// Conjugate gradients: stop when the remaining decrease of the objective, relative to its total decrease
  /// from 0, falls below this, as estimated from the last quarter of the iterations (Strakoš & Tichý 2002).
  /// This is the squared distance from the minimum, relative to the minimum, in the norm of AᴴA with its
  /// terms. Also with a preconditioner. 0: no.
  double energy = 0;
  /// Evaluate the objective in every iteration: one more transform and value of every term that is not
  /// quadratic.
  bool objective = false;
  SharedArray<std::complex<T>> start{};  ///< first iterate in the image's units; empty: 0
  SolverHooks<T> hooks{};
  NormalOptions normal{};  ///< solvers that are given A and y: how they form AᴴA

  /// Conjugate gradients, and those inside ADMM: an approximate inverse of AᴴA + λ‖A‖², for ADMM of AᴴA +
  /// ρ‖A‖² (best with rho given and without balance), up to a factor; Hermitian and positive definite.
  Operator<T> preconditioner{};
  /// Conjugate gradients: stop if the curvature of AᴴA along the search direction falls below this fraction
  /// of the largest one so far: an inexact normal operator is meaningless there, and dividing by it amplifies
  /// its error. Without effect with a Tikhonov term; 0: only if the curvature is not positive.
  double null_space = 0;
  /// Conjugate gradients without a preconditioner: residuals are kept orthogonal to this many first ones,
  /// which are kept in memory. If a few eigenvalues of AᴴA are far above all others, rounding brings their
  /// eigenvectors back after some iterations (Paige 1976): each return costs an iteration, and its time
  /// depends on the last bits. Not with checkpoints.
  Index orthogonal_to_first = 0;

  std::shared_ptr<const SplittingState<T>> state{};  ///< ADMM: initial state, instead of `start`
  /// ADMM: return the final state, FISTA: the last iterate, so that it can be continued.
  bool keep_state = false;
  AdmmOptions admm{};
};

}  // namespace larmor
