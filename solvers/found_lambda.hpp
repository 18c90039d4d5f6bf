#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/lambda_search.hpp>
#include <larmor/solvers/regularizers/registry.hpp>
#include <larmor/solvers/solve.hpp>

namespace LARMOR_API larmor {

/// Terms, with the λ that was found for one of them.
template <typename T>
struct TermsWithLambda {
  std::vector<RegularizerSpec> specs;
  std::vector<Regularizer<T>> terms;
  LambdaChoice choice;
};

/// Known quantities of the data for a search.
template <typename T>
struct LambdaSearchData {
  LambdaSearchOptions facts;          ///< their weight, energy and noise
  View<const std::complex<T>> probe;  ///< AᴴWε
};

/// Finds the automatic λ of one of the specified terms, which are problem.regularizers, by choose_lambda();
/// each trial is solved like the final image, with `options`, but in at most 100 iterations. Wavelets of
/// unspecified order may become Haar's, which are better for piecewise constant objects. Throws Error (usage)
/// unless exactly one λ is automatic, and as choose_lambda().
template <typename T>
TermsWithLambda<T> find_lambda(Problem<T> problem, const std::vector<RegularizerSpec>& specs,
                               const RegularizerSetting<T>& setting, LambdaSearchData<T> data, Solver solver,
                               const SolverOptions<T>& options, Context& ctx);

/// The same wavelets with order=1.
RegularizerSpec with_haar(RegularizerSpec spec);

/// A solution, and the λ that was found for it.
template <typename T>
struct FoundLambda {
  SolverResult<T> solution;
  Solver solver = Solver::automatic;   ///< the solver used: never automatic
  std::vector<RegularizerSpec> terms;  ///< with the λ
  LambdaChoice choice;                 ///< how λ was found
};

/// Samples y = A x + noise of a weighted least-squares problem, borrowed; neither A nor y is multiplied by
/// √w.
template <typename T>
struct MeasuredSamples {
  const LinearOperator<T>& A;
  View<const std::complex<T>> y;    ///< may be in host memory
  double noise_variance = 0;        ///< E|n|² of a sample; 0: unknown
  View<const double> weights = {};  ///< of the codomain's last axes; empty: 1
};

/// Solves min ½ Σ w|Ax − y|² + Σ λ_i R_i(x) for terms of which one has an automatic λ, which find_lambda()
/// finds first; solving with that λ given has the same result.
template <typename T>
FoundLambda<T> solve_with_found_lambda(const MeasuredSamples<T>& data,
                                       const std::vector<RegularizerSpec>& terms,
                                       const RegularizerSetting<T>& setting, Solver solver,
                                       const SolverOptions<T>& options, Context& ctx);

}  // namespace larmor
