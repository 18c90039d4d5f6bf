#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/problem/problem.hpp>

namespace LARMOR_API larmor {

template <typename T>
struct LsmrOptions {
  double lambda = 0;        ///< Tikhonov weight relative to ‖A‖², as in ConjugateGradientOptions
  double norm_squared = 0;  ///< ‖A‖² when it is known; 0: by power iteration where lambda needs it
  Index iterations = 30;
  double tolerance = 0;  ///< of SolverStep::gradient; 0: exactly `iterations`
  SolverHooks<T> hooks{};
};

/// Minimises ½‖Ax − y‖² + ½λ‖A‖²‖x‖² by LSMR (Fong & Saunders 2011), from zero: Golub-Kahan bidiagonalisation
/// of A, in exact arithmetic MINRES on the normal equations, so that SolverStep::gradient never rises. It
/// applies A and Aᴴ and never AᴴA, whose condition number is the square: for ill-conditioned problems without
/// a Toeplitz form. y may be in host memory.
template <typename T>
SolverResult<T> lsmr(const LinearOperator<T>& A, std::type_identity_t<View<const std::complex<T>>> y,
                     const LsmrOptions<T>& options, Context& ctx);

/// The same for a problem that has its model and samples and whose terms are all quadratic; with priors it
/// starts from their mean. AᴴA is applied for ‖A‖² alone. Throws Error (usage) on other terms, and on a first
/// iterate.
template <typename T>
SolverResult<T> lsmr(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx);

}  // namespace larmor
