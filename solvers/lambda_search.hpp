#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/vectors/shared_array.hpp>
#include <larmor/operators/linear_operator.hpp>
#include <larmor/solvers/problem/options.hpp>

#include <functional>
#include <vector>

namespace LARMOR_API larmor {

/// Known quantities of samples y = A x + n and their weights w; 1 without weights.
struct LambdaSearchOptions {
  double weight = 0;          ///< Σw over all samples and coils
  double data_energy = 0;     ///< ‖√w y‖²
  double noise_variance = 0;  ///< E|n|² of one sample, 1 if whitened; 0: unknown
  bool alternative = false;   ///< there is an alternative term, to be tried at the best λ
};

/// One weight that was tried.
struct LambdaTrial {
  double lambda;
  double risk;      ///< the minimised estimate, over Σw
  double residual;  ///< ‖√w(Ax − y)‖²/Σw
  double freedom;   ///< degrees of freedom of A x as a function of y, over Σw
};

/// Origin of λ.
enum class LambdaCriterion {
  none,        ///< it was given
  sure,        ///< Stein's unbiased estimate of the error
  gcv,         ///< generalised cross validation
  noise_alone  ///< the data are pure noise, and nothing was tried
};
/// As in reports: "SURE", "GCV".
const char* to_string(LambdaCriterion criterion);

/// The weight that was chosen, and the trials that led to it.
struct LambdaChoice {
  double lambda = 0;
  LambdaCriterion criterion = LambdaCriterion::none;
  bool interior = false;            ///< the λ was enclosed; otherwise it is the largest of the best (1 %)
  bool alternative = false;         ///< the alternative term is used: its risk is lower (by 1 %)
  std::vector<LambdaTrial> trials;  ///< in the order of trying
};

/// One call of the solver for one λ: right-hand side AᴴWy and first iterate, valid during the call.
template <typename T>
struct LambdaSolve {
  double lambda;
  const SharedArray<std::complex<T>>& rhs;
  const SharedArray<std::complex<T>>& start;
  /// Left by the solution from which this one starts, for solvers that can resume from it; null: none.
  const std::shared_ptr<const SplittingState<T>>& state;
  Index iterations;  ///< exactly; 0: until it converges
  bool alternative;  ///< of the other term
};
/// Result of such a call.
template <typename T>
struct LambdaSolution {
  Array<std::complex<T>> x;
  Index iterations;  ///< done
  std::shared_ptr<const SplittingState<T>> state{};
};
/// The solver. It must treat all right-hand sides alike: same scale, same shifts.
template <typename T>
using SolveForLambda = std::function<LambdaSolution<T>(const LambdaSolve<T>&)>;

/// The λ with the smallest estimated error ‖√w A(x − x*)‖², for any regulariser and any solver. `normal` is
/// AᴴWA, `rhs` AᴴWy and `probe` AᴴWε with independent entries ε = ±1, all on the context's device. The noise
/// of a weighted sample √w y has the known variance wσ². With known noise by Stein's unbiased risk estimate,
/// ‖√w(Ax − y)‖² − σ²Σw + 2σ² tr(W ∂(A x)/∂y) (Stein 1981), otherwise by generalised cross validation, ‖√w(Ax
/// − y)‖² / (1 − trace/Σw)² (Golub, Heath & Wahba 1979); the trace from one probe as Re ⟨AᴴWε, x(y + δε) −
/// x(y)⟩/δ (Ramani, Blu & Unser 2008). Tries λ = σ·rms(AᴴWε)/max|AᴴWy|, the noise of the scaled problem, and
/// half of it, then halves or doubles it until a minimum is enclosed, and returns the vertex of the parabola
/// in log λ. Each solution starts from that for the previous λ. An alternative term replaces the first one,
/// with the same λ, if its risk is lower by more than 1 %.
template <typename T>
LambdaChoice choose_lambda(const LinearOperator<T>& normal,
                           std::type_identity_t<View<const std::complex<T>>> rhs,
                           std::type_identity_t<View<const std::complex<T>>> probe,
                           const LambdaSearchOptions& options, const SolveForLambda<T>& solve, Context& ctx);

}  // namespace larmor
