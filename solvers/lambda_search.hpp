#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/vectors/shared_array.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <functional>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// How a λ is chosen: by the least estimated error, or as the one that leaves a residual as large as the
/// noise.
enum class LambdaRule { least_error, discrepancy };

/// What is known of the data y = A x + n.
struct LambdaSearchOptions {
  double samples = 0;         ///< number of complex samples in y, all coils
  double data_energy = 0;     ///< ‖y‖²
  double noise_variance = 0;  ///< E|n|² of one sample, 1 when whitened; 0: not known
  int most_trials = 14;
  int most_rounds = 3;  ///< calls of the solver for the first λ, each from where the one before ended
  LambdaRule rule = LambdaRule::least_error;
};

/// One weight that was tried.
struct LambdaTrial {
  double lambda;
  double risk;      ///< what is minimised, per sample; of the discrepancy: residual less noise
  double residual;  ///< ‖Ax − y‖² per sample
  double freedom;   ///< degrees of freedom of A x as a function of y, per sample; 0 for the discrepancy
};

/// The weight that was chosen, and the trials that led to it.
struct LambdaChoice {
  double lambda = 0;
  std::string rule;                 ///< "SURE", "GCV" or "discrepancy"
  bool interior = false;            ///< the λ was enclosed; otherwise lambda is the last one tried
  std::vector<LambdaTrial> trials;  ///< in the order of trying
};

/// The solver for one λ: right-hand side Aᴴy and first iterate to x, for the time of the call: some
/// iterations, which are called for again until the risk settles. It must treat every right-hand side alike:
/// same number of iterations, same scale, same shifts.
template <typename T>
using SolveForLambda = std::function<Array<std::complex<T>>(
    double lambda, const SharedArray<std::complex<T>>& rhs, const SharedArray<std::complex<T>>& start)>;

/// The λ with the least estimated error of A x, for any regulariser and any solver.
/// With known noise by Stein's unbiased risk estimate, ‖Ax − y‖² − Mσ² + 2σ² div (Stein 1981), without by
/// generalised cross validation, ‖Ax − y‖² / (1 − div/M)² (Golub, Heath & Wahba 1979); the divergence
/// of y ↦ A x(y) from one random probe ε as Re ⟨Aᴴε, x(y + δε) − x(y)⟩/δ (Ramani, Blu & Unser 2008). `probe`
/// is Aᴴε, ε of independent entries ±1, on the context's device as `rhs` = Aᴴy is. Tries λ =
/// 2σ·rms(Aᴴε)/max|Aᴴy|, twice the noise of the scaled problem, then halves or doubles it until a minimum is
/// enclosed, and returns the vertex of the parabola in log λ.
/// LambdaRule::discrepancy takes the λ at which ‖Ax − y‖² = Mσ² (Morozov 1966), which is larger: halves or
/// doubles λ until it is enclosed, then closes in on it to 2 % of σ². Throws Error (usage) where the noise is
/// not known.
template <typename T>
LambdaChoice choose_lambda(const LinearOperator<T>& normal,
                           std::type_identity_t<View<const std::complex<T>>> rhs,
                           std::type_identity_t<View<const std::complex<T>>> probe,
                           const LambdaSearchOptions& options, const SolveForLambda<T>& solve, Context& ctx);

}  // namespace larmor
