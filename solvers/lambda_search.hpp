#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/vectors/shared_array.hpp>
#include <larmor/operators/linear_operator.hpp>
#include <larmor/solvers/problem/options.hpp>

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
  LambdaRule rule = LambdaRule::least_error;
  /// Asked once a minimum is enclosed: whether another term is worth a trial, at the λ of the least error
  /// that was tried. Null: there is none.
  std::function<bool()> alternative = nullptr;
};

/// One weight that was tried.
struct LambdaTrial {
  double lambda;
  double risk;      ///< what is minimised, per sample; of the discrepancy: residual less noise
  double residual;  ///< ‖Ax − y‖² per sample
  double freedom;   ///< degrees of freedom of A x as a function of y, per sample; 0 for the discrepancy
  double error;     ///< of A x, relative to it, as far as the risk tells it; 0 for the discrepancy
};

/// By what a λ was chosen.
enum class LambdaCriterion {
  none,         ///< it was given
  sure,         ///< Stein's unbiased estimate of the error
  gcv,          ///< generalised cross validation
  discrepancy,  ///< a residual as large as the noise
  noise_alone   ///< nothing but noise was there, and nothing was tried
};
/// As reports have it: "SURE", "GCV".
const char* to_string(LambdaCriterion criterion);

/// The weight that was chosen, and the trials that led to it.
struct LambdaChoice {
  double lambda = 0;
  LambdaCriterion criterion = LambdaCriterion::none;
  bool interior = false;            ///< the λ was enclosed; otherwise it is the largest of the best (1 %)
  bool alternative = false;         ///< the other term is taken: its risk is clearly less
  std::vector<LambdaTrial> trials;  ///< in the order of trying, all of the first term
};

/// One call of the solver for one λ: right-hand side Aᴴy and first iterate, which are there for the time of
/// the call.
template <typename T>
struct LambdaSolve {
  double lambda;
  const SharedArray<std::complex<T>>& rhs;
  const SharedArray<std::complex<T>>& start;
  /// What the solution gave from which this one starts, for solvers that go on better with it; null: nothing.
  const std::shared_ptr<const SplittingState<T>>& state;
  Index iterations;  ///< at most
  double distance;   ///< as SolverOptions::distance, to stop before; 0: exactly `iterations`
  bool alternative;  ///< of the other term
};
/// What it gave.
template <typename T>
struct LambdaSolution {
  Array<std::complex<T>> x;
  Index iterations;  ///< done
  std::shared_ptr<const SplittingState<T>> state{};
};
/// The solver. It must treat every right-hand side alike: same scale, same shifts.
template <typename T>
using SolveForLambda = std::function<LambdaSolution<T>(const LambdaSolve<T>&)>;

/// Samples of which some count more than others in the error that is estimated: where k-space is crowded each
/// tells less of the image.
template <typename T>
struct WeightedSamples {
  Operator<T> model;                     ///< A
  SharedArray<std::complex<T>> samples;  ///< y
  Array<std::complex<T>> weights;        ///< real, as many as samples, Σ = their number
  Array<std::complex<T>> probe;          ///< Aᴴ W ε
  std::function<double(double)> sum;     ///< over processes that have other samples; none: alone
};

/// The λ with the least estimated error of A x, for any regulariser and any solver.
/// With known noise by Stein's unbiased risk estimate, ‖Ax − y‖² − Mσ² + 2σ² div (Stein 1981), without by
/// generalised cross validation, ‖Ax − y‖² / (1 − div/M)² (Golub, Heath & Wahba 1979); the divergence
/// of y ↦ A x(y) from one random probe ε as Re ⟨Aᴴε, x(y + δε) − x(y)⟩/δ (Ramani, Blu & Unser 2008). `probe`
/// is Aᴴε, ε of independent entries ±1, on the context's device as `rhs` = Aᴴy is. Tries λ =
/// 2σ·rms(Aᴴε)/max|Aᴴy|, twice the noise of the scaled problem, then halves or doubles it until a minimum is
/// enclosed, and returns the vertex of the parabola in log λ. Each solution starts from that of the λ before.
/// Where the error that is estimated is small, solutions have to be as much nearer to their minima, and are
/// tried from 4 times that λ on, the first one from 0.
/// Where another term takes the place of the first one, the λ is the same.
/// `weighted`: the error W^½ A x instead, by ‖W^½(Ax − y)‖² and the divergence of W A x(y); null: W = 1.
/// LambdaRule::discrepancy takes the λ at which ‖Ax − y‖² = Mσ² (Morozov 1966), which is larger: halves or
/// doubles λ until it is enclosed, then closes in on it to 2 % of σ². Throws Error (usage) where the noise is
/// not known.
template <typename T>
LambdaChoice choose_lambda(const LinearOperator<T>& normal,
                           std::type_identity_t<View<const std::complex<T>>> rhs,
                           std::type_identity_t<View<const std::complex<T>>> probe,
                           const LambdaSearchOptions& options, const SolveForLambda<T>& solve, Context& ctx,
                           const WeightedSamples<T>* weighted = nullptr);

}  // namespace larmor
