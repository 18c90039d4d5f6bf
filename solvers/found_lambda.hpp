#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/lambda_search.hpp>
#include <larmor/solvers/regularizers/registry.hpp>
#include <larmor/solvers/solve.hpp>

namespace LARMOR_API larmor {

/// A solution, and the λ that was found for it.
template <typename T>
struct FoundLambda {
  SolverResult<T> solution;
  Solver solver = Solver::automatic;   ///< the one that was used: never automatic
  std::vector<RegularizerSpec> terms;  ///< with the λ
  LambdaChoice choice;                 ///< how it was found
};

/// Solves min ½‖Ax − y‖² + Σ λ_i R_i(x) for terms of which one has an automatic λ, which choose_lambda()
/// finds first; the solver goes on from where the search ended. y may be in host memory. noise_variance:
/// E|n|² of a sample; 0: not known. Throws Error (usage) unless there is exactly one automatic λ, and as
/// choose_lambda().
template <typename T>
FoundLambda<T> solve_with_found_lambda(const LinearOperator<T>& A,
                                       std::type_identity_t<View<const std::complex<T>>> y,
                                       const std::vector<RegularizerSpec>& terms,
                                       const RegularizerSetting<T>& setting, Solver solver,
                                       const SolverOptions<T>& options, double noise_variance, Context& ctx);

}  // namespace larmor
