#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/lambda_search.hpp>
#include <larmor/solvers/regularizers/registry.hpp>
#include <larmor/solvers/solve.hpp>

namespace LARMOR_API larmor {

/// Terms with the λ that was found for one of them.
template <typename T>
struct TermsWithLambda {
  std::vector<RegularizerSpec> specs;
  std::vector<Regularizer<T>> terms;
  LambdaChoice choice;
};

/// Looks for the automatic λ of one of the specified terms, which are problem.regularizers, by
/// choose_lambda(); each trial is solved as the image will be, with `options`. data: its weight, energy and
/// noise. probe: AᴴWε. Wavelets of which the order is left open may become Haar's, which are better for
/// objects of flat parts. Throws Error (usage) unless exactly one λ is automatic, and as choose_lambda().
template <typename T>
TermsWithLambda<T> find_lambda(Problem<T> problem, const std::vector<RegularizerSpec>& specs,
                               const RegularizerSetting<T>& setting, LambdaSearchOptions data,
                               std::type_identity_t<View<const std::complex<T>>> probe, Solver solver,
                               const SolverOptions<T>& options, Context& ctx);

/// The same wavelets with order=1.
RegularizerSpec with_haar(RegularizerSpec spec);

/// A solution, and the λ that was found for it.
template <typename T>
struct FoundLambda {
  SolverResult<T> solution;
  Solver solver = Solver::automatic;   ///< the one that was used: never automatic
  std::vector<RegularizerSpec> terms;  ///< with the λ
  LambdaChoice choice;                 ///< how it was found
};

/// Solves min ½‖Ax − y‖² + Σ λ_i R_i(x) for terms of which one has an automatic λ, which find_lambda()
/// finds first; whoever gives that λ gets the same solution. y may be in host memory. noise_variance:
/// E|n|² of a sample; 0: not known. weights: those whose roots A and y hold (weighted()), of
/// the codomain's last axes; empty: 1.
template <typename T>
FoundLambda<T> solve_with_found_lambda(const LinearOperator<T>& A,
                                       std::type_identity_t<View<const std::complex<T>>> y,
                                       const std::vector<RegularizerSpec>& terms,
                                       const RegularizerSetting<T>& setting, Solver solver,
                                       const SolverOptions<T>& options, double noise_variance,
                                       View<const double> weights, Context& ctx);

}  // namespace larmor
