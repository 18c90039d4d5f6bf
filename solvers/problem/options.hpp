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

/// Why a solver stopped.
enum class StopReason {
  iterations,  ///< as many as were allowed
  tolerance,   ///< SolverOptions::tolerance is met, or rounding
  distance,    ///< SolverOptions::distance or SolverOptions::energy is met
  residual,    ///< the residual that was asked for is met
  null_space,  ///< the data say nothing along the next direction
  zero_data,   ///< Aᴴy is zero, and so is the minimum
  asked        ///< SolverHooks::step asked for it
};
/// In words, as reports have it: "null space".
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

/// Where ADMM has come to, in its own units: it goes on from there for a problem that differs little, in λ or
/// in its right-hand side, where `scale` is given.
template <typename T>
struct SplittingState {
  Array<std::complex<T>> unknowns;
  std::vector<Array<std::complex<T>>> multipliers;  ///< of each term, over rho and its weight
  double rho = 0;
};

/// What a solver found, and how it got there.
template <typename T>
struct SolverResult {
  Array<std::complex<T>> x;
  std::vector<SolverStep> history;
  StopReason stop_reason = StopReason::iterations;
  double operator_norm_squared = 0;  ///< ‖A‖² that λ was multiplied with; 0 when it was not needed
  double scale = 0;                  ///< max|Aᴴy| that the problem was divided by; 0 when it was not needed
  double step_size = 0;              ///< along the gradient, in the units of 1/‖A‖²; 0: it varies
  /// ‖x − minimum‖ / ‖x‖, estimated. Conjugate gradients without a preconditioner, and LSMR: as an earlier
  /// iterate had it (Hestenes & Stiefel 1952), infinite where iterations were too few to tell. Other solvers
  /// where SolverOptions::distance is asked for: by how the movement of the iterates falls off. NaN
  /// otherwise.
  double distance = std::numeric_limits<double>::quiet_NaN();
  Index missing_iterations = 0;  ///< about, until that is SolverOptions::distance, or a hundredth
  Index normal_applies = 0;      ///< how often AᴴA was applied, the power iteration not counted
  std::shared_ptr<const SplittingState<T>> state{};  ///< ADMM, where SolverOptions::keep_state asks for it
};

/// All that a solver needs to go on from the end of an iteration to the same bits as without a break. Vectors
/// are in host memory; what they hold is the solver's own business.
template <typename T>
struct Checkpoint {
  std::string solver;
  Index iteration = 0;
  std::vector<Array<std::complex<T>>> vectors;
  std::vector<double> scalars;
};

/// Whom a solver tells. Both are called between iterations, on the thread of the caller.
template <typename T>
struct SolverHooks {
  /// The step and the iterate in the image's units, on the solver's device. True: the solver ends with it.
  std::function<bool(const SolverStep&, View<const std::complex<T>>)> step;
  Index checkpoint_every = 0;  ///< iterations; 0: never
  std::function<void(Checkpoint<T>)> checkpoint;
  /// Where to go on. Throws Error (input) when it is another solver's or another problem's.
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
  /// Stop when SolverStep::gradient and SolverStep::constraint fall below; 0: exactly `iterations`.
  double tolerance = 0;
  /// Stop when SolverResult::distance falls below; 0: not. LSMR, and conjugate gradients without a Tikhonov
  /// term, tell it but do not stop by it.
  double distance = 0;
  /// Conjugate gradients: stop when what the objective may still decrease by, relative to all its decrease
  /// from 0, falls below, as the last quarter of the iterations tells it (Strakoš & Tichý 2002). This is
  /// the squared distance from the minimum, relative to the minimum, in the norm of AᴴA with its terms. Also
  /// with a preconditioner. 0: not.
  double energy = 0;
  /// Evaluate the objective in every iteration: one more transform and value of every term that is not
  /// quadratic.
  bool objective = false;
  SharedArray<std::complex<T>> start{};  ///< first iterate in the image's units; empty: 0
  SolverHooks<T> hooks{};
  NormalOptions normal{};  ///< solvers that are given A and y: how they find AᴴA

  /// Conjugate gradients, and those inside of ADMM: an approximate inverse of AᴴA + λ‖A‖², in ADMM of
  /// AᴴA + ρ‖A‖² (best with rho given and without balance), up to a factor; Hermitian and positive definite.
  Operator<T> preconditioner{};
  /// Conjugate gradients: stop where the curvature of AᴴA along the search direction falls below this
  /// fraction of the largest one met: an inexact normal operator says nothing there, and dividing by it
  /// amplifies its error. Without effect with a Tikhonov term; 0: only where the curvature is not positive.
  double null_space = 0;
  /// Conjugate gradients without a preconditioner: residuals are kept orthogonal to so many first ones, which
  /// are kept in memory. Where a few eigenvalues of AᴴA lie far above all others, rounding brings their
  /// eigenvectors back after some iterations (Paige 1976): each return takes an iteration, and when it comes
  /// depends on the last bits. Not with checkpoints.
  Index orthogonal_to_first = 0;

  std::shared_ptr<const SplittingState<T>> state{};  ///< ADMM: where to begin, instead of `start`
  bool keep_state = false;  ///< ADMM: return where it ends, FISTA: the last iterate, to go on from there
  AdmmOptions admm{};
};

}  // namespace larmor
