#include <larmor/core/replay.hpp>
#include <larmor/solvers/conjugate_gradient.hpp>

#include <cmath>
#include <limits>
#include <random>

namespace larmor {

template <typename T>
SolverResult<T> conjugate_gradient(const LinearOperator<T>& A,
                                   std::type_identity_t<View<const std::complex<T>>> y,
                                   const ConjugateGradientOptions& options, Context& ctx) {
  const auto normal = A.normal(options.normal, ctx);
  const bool elsewhere = !(y.device() == ctx.device());
  const auto rhs = elsewhere ? A.adjoint(copied_to(ctx.device(), y), ctx) : A.adjoint(y, ctx);
  return conjugate_gradient_normal(*normal, rhs, options, ctx);
}

template <typename T>
SolverResult<T> conjugate_gradient_normal(const LinearOperator<T>& normal,
                                          std::type_identity_t<View<const std::complex<T>>> rhs,
                                          const ConjugateGradientOptions& options, Context& ctx) {
  using C = std::complex<T>;
  if (!(options.lambda >= 0) || !std::isfinite(options.lambda))
    throw usage_error("conjugate gradients: lambda must be zero or positive, got {}", options.lambda);
  SolverResult<T> result;
  result.x = Array<C>(normal.domain(), ctx.device());
  fill<T>(result.x, 0, ctx);
  const double rhs_norm = std::sqrt(squared_norm<T>(rhs, ctx));
  if (!std::isfinite(rhs_norm))
    throw input_error("conjugate gradients: the data contain NaN or infinite values");
  if (rhs_norm == 0) {
    result.stop_reason = "zero data";
    return result;
  }
  double shift = 0;
  if (options.lambda > 0) {
    result.operator_norm_squared =
        options.norm_squared > 0 ? options.norm_squared : largest_eigenvalue(normal, ctx);
    shift = options.lambda * result.operator_norm_squared;
  }

  Array<C> r = clone<const C>(rhs), p = clone<const C>(rhs), q(normal.domain(), ctx.device());
  result.history.reserve(static_cast<std::size_t>(options.iterations));
  result.stop_reason = "iterations";
  double rr = rhs_norm * rhs_norm, largest_quotient = 0;
  Replay apply_normal(
      [&] {
        normal.apply(p, q, ctx);
        if (shift > 0) axpy<T>(shift, p, q, ctx);
      },
      ctx);
  for (Index iteration = 1; iteration <= options.iterations; ++iteration) {
    ctx.throw_if_cancelled();
    apply_normal();
    const auto [pq, pp] = dots<T>({{p, q}, {p, p}}, ctx);
    const double curvature = pq.real();
    const double quotient = curvature / pp.real();
    largest_quotient = std::max(largest_quotient, quotient);
    const double smallest_quotient = shift > 0 ? 0 : options.null_space * largest_quotient;
    if (!(quotient > smallest_quotient)) {  // p lies in the null space to rounding: the minimum is reached
      result.stop_reason = "null space";
      break;
    }
    const double step = rr / curvature;
    axpy<T>(step, p, result.x, ctx);
    axpy<T>(-step, q, r, ctx);
    const auto [residual, xb, xr] = dots<T>({{r, r}, {result.x, rhs}, {result.x, r}}, ctx);
    const double rr_next = residual.real();
    // With r = b − Hx the objective ½xᴴHx − Re xᴴb equals −½Re xᴴ(b + r).
    const double objective = -0.5 * (xb.real() + xr.real());
    const double gradient = std::sqrt(rr_next) / rhs_norm;
    result.history.push_back({iteration, gradient, objective});
    ctx.reporter().progress("cg", iteration, options.iterations, fmt::format("gradient {:.2e}", gradient));
    // Far below rounding x no longer changes, and denormal numbers only cost time.
    constexpr double rounding = 1e-3 * std::numeric_limits<T>::epsilon();
    if (gradient <= std::max(options.tolerance, rounding)) {
      result.stop_reason = "tolerance";
      break;
    }
    xpby<T>(r, rr_next / rr, p, ctx);
    rr = rr_next;
  }
  return result;
}

template <typename T>
double largest_eigenvalue(const LinearOperator<T>& normal, Context& ctx, int iterations, double tolerance) {
  using C = std::complex<T>;
  Array<C> random(normal.domain()), y(normal.domain(), ctx.device());
  std::mt19937 generator(20180229);
  std::normal_distribution<double> gauss;
  for (C& value : random) {
    const double re = gauss(generator), im = gauss(generator);
    value = C(static_cast<T>(re), static_cast<T>(im));
  }
  Array<C> x = moved_to(ctx.device(), std::move(random));
  double value = 0;
  for (int i = 0; i < iterations; ++i) {
    ctx.throw_if_cancelled();
    const double norm = std::sqrt(squared_norm<T>(x, ctx));
    if (norm == 0) return 0;
    scale<T>(1 / norm, x, ctx);
    normal.apply(x, y, ctx);
    const double next = dot<T>(x, y, ctx).real();  // Rayleigh quotient: error second order in the vector's
    const bool settled = std::abs(next - value) <= tolerance * next;
    value = next;
    x.swap(y);
    if (settled && i >= 5) break;
  }
  return value;
}

#define LARMOR_INSTANTIATE(T)                                                                              \
  template SolverResult<T> conjugate_gradient<T>(const LinearOperator<T>&,                                 \
                                                 std::type_identity_t<View<const std::complex<T>>>,        \
                                                 const ConjugateGradientOptions&, Context&);               \
  template SolverResult<T> conjugate_gradient_normal<T>(const LinearOperator<T>&,                          \
                                                        std::type_identity_t<View<const std::complex<T>>>, \
                                                        const ConjugateGradientOptions&, Context&);        \
  template double largest_eigenvalue<T>(const LinearOperator<T>&, Context&, int, double);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
