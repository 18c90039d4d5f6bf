#include <larmor/solvers/conjugate_gradient.hpp>
#include <larmor/solvers/lsmr.hpp>
#include <larmor/solvers/run.hpp>

#include <cmath>

namespace larmor {
namespace {

// A plane rotation that takes (a, b) to (r, 0).
struct Rotation {
  Rotation(double a, double b) : r(std::hypot(a, b)), c(r > 0 ? a / r : 1), s(r > 0 ? b / r : 0) {}
  double r, c, s;
};

}  // namespace

// Names of scalars as in Fong & Saunders (2011), section 2.8, with the damping of section 2.7.
template <typename T>
SolverResult<T> lsmr(const LinearOperator<T>& A, std::type_identity_t<View<const std::complex<T>>> y,
                     const LsmrOptions<T>& options, Context& ctx) {
  using C = std::complex<T>;
  if (!(options.lambda >= 0) || !std::isfinite(options.lambda))
    throw usage_error("lsmr: lambda must be zero or positive, got {}", options.lambda);
  detail::SolverRun<T> run("lsmr", options.iterations, options.tolerance, options.hooks, ctx);
  SolverResult<T>& result = run.result;
  const Shape& image = A.domain();
  result.x = Array<C>(image, ctx.device());
  fill<T>(result.x, 0, ctx);

  Array<C> u = copied_to(ctx.device(), y), v(image, ctx.device()), h(image, ctx.device()),
           hbar(image, ctx.device());
  fill<T>(hbar, 0, ctx);
  A.reserve(ctx);
  // Normalises; 0 when there is nothing left.
  const auto normalise = [&](View<C> vector) {
    const double norm = std::sqrt(squared_norm<T>(vector, ctx));
    if (norm > 0) scale<T>(1 / norm, vector, ctx);
    return norm;
  };
  const double data_norm = normalise(u);
  if (!std::isfinite(data_norm)) throw input_error("lsmr: the data contain NaN or infinite values");
  if (data_norm == 0) {
    result.stop_reason = "zero data";
    return std::move(result);
  }
  A.adjoint(u, v, ctx);
  double alpha = normalise(v);
  if (alpha == 0) {
    result.stop_reason = "zero data";
    return std::move(result);
  }
  const double rhs_norm = alpha * data_norm;
  double damping = 0;
  if (run.resumed()) {
    result.operator_norm_squared = run.resumed_scalar(0);
  } else if (options.lambda > 0) {
    result.operator_norm_squared =
        options.norm_squared > 0 ? options.norm_squared : largest_eigenvalue(*A.normal(ctx), ctx);
  }
  damping = std::sqrt(options.lambda * result.operator_norm_squared);
  double alphabar = alpha, zetabar = rhs_norm, rho = 1, rhobar = 1, cbar = 1, sbar = 0;
  Index done = 0;
  if (run.resumed()) {
    double* const scalars[] = {&alpha, &alphabar, &zetabar, &rho, &rhobar, &cbar, &sbar};
    for (std::size_t i = 0; i < std::size(scalars); ++i) *scalars[i] = run.resumed_scalar(i + 1);
    done = run.restore({result.x, u, v, h, hbar});
  } else {
    copy<T>(v, h, ctx);
  }

  for (Index iteration = done + 1; iteration <= options.iterations; ++iteration) {
    ctx.throw_if_cancelled();
    scale<T>(-alpha, u.view(), ctx);
    A.apply(v, u, ctx, Write::accumulate);
    const double beta = normalise(u);
    scale<T>(-beta, v.view(), ctx);
    A.adjoint(u, v, ctx, Write::accumulate);
    alpha = normalise(v);

    const Rotation damped(alphabar, damping);
    const double rho_before = rho, rhobar_before = rhobar;
    const Rotation first(damped.r, beta);
    rho = first.r;
    const double theta = first.s * alpha;
    alphabar = first.c * alpha;
    const double thetabar = sbar * rho;
    const Rotation second(cbar * rho, theta);
    rhobar = second.r;
    cbar = second.c;
    sbar = second.s;
    const double zeta = cbar * zetabar;
    zetabar = -sbar * zetabar;

    // h̄ ← h − (θ̄ρ/ρ₋ρ̄₋) h̄,  x ← x + (ζ/ρρ̄) h̄,  h ← v − (θ/ρ) h
    xpby<T>(h, -thetabar * rho / (rho_before * rhobar_before), hbar, ctx);
    axpy<T>(zeta / (rho * rhobar), hbar, result.x, ctx);
    xpby<T>(v, -theta / rho, h, ctx);
    const double gradient = std::abs(zetabar) / rhs_norm;
    if (run.record({iteration, gradient, std::nan("")}, result.x, image)) break;
    if (alpha == 0 || beta == 0) {
      result.stop_reason = "tolerance";
      break;
    }
    if (run.checkpoint_due(iteration))
      run.checkpoint(iteration, {result.x, u, v, h, hbar},
                     {result.operator_norm_squared, alpha, alphabar, zetabar, rho, rhobar, cbar, sbar});
  }
  return std::move(result);
}

template SolverResult<float> lsmr<float>(const LinearOperator<float>&, View<const std::complex<float>>,
                                         const LsmrOptions<float>&, Context&);
template SolverResult<double> lsmr<double>(const LinearOperator<double>&, View<const std::complex<double>>,
                                           const LsmrOptions<double>&, Context&);

}  // namespace larmor
