#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/linear_operator.hpp>
#include <larmor/solvers/problem/options.hpp>

namespace LARMOR_API larmor {

/// ½‖F(x) − y‖² for a nonlinear operator F with a complex-linear derivative DF(x), linearised at a point x. A
/// model whose F ends in a non-uniform Fourier transform never needs to leave image space: DFᴴF and DFᴴDF
/// contain its Toeplitz form, and DFᴴy the gridded data.
template <typename T>
class NonlinearLeastSquares {
 public:
  using Scalar = std::complex<T>;
  virtual ~NonlinearLeastSquares() = default;
  /// Shape of the unknowns.
  virtual const Shape& domain() const = 0;
  /// Sets the point x of the functions below; x keeps its address and values until the next call.
  virtual void move_to(View<const Scalar> x, Context& ctx) = 0;
  /// ‖F(x) − y‖²
  virtual double residual_squared(Context& ctx) const = 0;
  /// out = DF(x)ᴴ(y − F(x))
  virtual void descent(View<Scalar> out, Context& ctx) const = 0;
  /// DF(x)ᴴDF(x); the same object for every point, reading arrays whose addresses do not change.
  virtual const LinearOperator<T>& normal() const = 0;
};

/// Steps of the Gauss-Newton method, and their weights.
struct IrgnmOptions {
  Index iterations = 8;    ///< Newton steps
  double alpha = 1;        ///< weight of ‖x − x₀‖² in the first step, in the units of DFᴴDF
  double reduction = 0.5;  ///< ratio of α to that of the previous step
  double alpha_min = 0;
  Index inner_iterations = 100;   ///< conjugate gradient iterations per step, at most
  double inner_tolerance = 1e-2;  ///< their tolerance: gradient of the linear problem relative to its start
  /// Stop when ‖F(x) − y‖ falls below this (discrepancy principle); 0: all iterations.
  double residual = 0;
  /// Stop also if a step has lowered ‖F(x) − y‖² by no more than this fraction of residual²; 0: only at the
  /// residual.
  double least_gain = 0;
};

/// Iteratively regularised Gauss-Newton method (Bakushinskii 1992; for images and coils Uecker et al. 2008):
/// x ← argmin ½‖F(x_n) + DF(x_n)(x − x_n) − y‖² + ½α_n‖x − x₀‖², α_n = max(α q^n, α_min), from x₀ = start,
/// which is also the prior. Each step is solved by conjugate gradients. The history holds, for each step, the
/// gradient of the regularised problem at the new point relative to that at x₀, and ½‖F(x) − y‖². Stop
/// reasons: "iterations", "residual", "zero data" (x₀ is a stationary point).
template <typename T>
SolverResult<T> irgnm(NonlinearLeastSquares<T>& model,
                      std::type_identity_t<View<const std::complex<T>>> start, const IrgnmOptions& options,
                      Context& ctx);

}  // namespace larmor
