#pragma once

#include <larmor/operators/linear_operator.hpp>

#include <limits>
#include <optional>

namespace larmor::detail {

/// Conjugate gradients for M u = c (Hestenes & Stiefel 1952): the vectors and the one loop of all solvers
/// that use them. preconditioner: an approximate inverse of M, Hermitian and positive definite; none: the
/// identity.
template <typename T>
class ConjugateGradientLoop {
 public:
  using C = std::complex<T>;
  ConjugateGradientLoop(const Shape& shape, const Operator<T>& preconditioner, Context& ctx)
      : preconditioner_(preconditioner),
        r_(shape, ctx.device()),
        p_(shape, ctx.device()),
        q_(shape, ctx.device()) {
    if (preconditioner) z_ = Array<C>(shape, ctx.device());
  }

  /// To hold c − M u before the beginning.
  Array<C>& residual() { return r_; }
  /// The search direction p, and where M p goes.
  Array<C>& direction() { return p_; }
  Array<C>& product() { return q_; }
  /// The residual, as the preconditioner makes it.
  View<const C> preconditioned() const { return preconditioner_ ? z_ : r_; }
  /// Makes it anew.
  void precondition(Context& ctx) {
    if (preconditioner_) preconditioner_.apply(r_, z_, ctx);
  }
  /// Its product with the residual, whose squared norm is rr.
  double decrease(double rr, Context& ctx) const { return preconditioner_ ? dot<T>(r_, z_, ctx).real() : rr; }
  /// decrease() of the present residual, which a checkpoint keeps.
  double present() const { return rz_; }
  /// Goes on from a checkpoint, its vectors being restored.
  void resume(double rz) { rz_ = rz; }

  /// Takes the residual, whose squared norm is rr, as the first direction.
  void begin(double rr, Context& ctx) {
    precondition(ctx);
    rz_ = decrease(rr, ctx);
    copy<T>(preconditioned(), p_, ctx);
  }

  /// Iterations from done + 1 on; returns the last one. multiply() sets product() = M direction() and returns
  /// their product, 0 to stop; move(a) adds a times the direction to u; measure(iteration) looks at u and the
  /// residual there and returns its decrease(), nothing to stop; keep(iteration) sees the state between
  /// iterations.
  template <typename Multiply, typename Move, typename Measure, typename Keep>
  Index run(Index done, Index iterations, const Multiply& multiply, const Move& move, const Measure& measure,
            const Keep& keep, Context& ctx) {
    for (Index i = done + 1; i <= iterations; ++i) {
      ctx.throw_if_cancelled();
      const double curvature = multiply();
      if (!(curvature > 0)) return i;
      const double step = rz_ / curvature;
      move(step);
      axpy<T>(-step, q_, r_, ctx);
      const std::optional<double> following = measure(i);
      if (!following) return i;
      xpby<T>(preconditioned(), *following / rz_, p_, ctx);
      rz_ = *following;
      keep(i);
    }
    return iterations;
  }

  /// Inside of another solver: moves u towards the solution until the residual's norm falls below `tolerance`
  /// times its first value. multiply() sets product() = M direction(). Returns the number of products.
  template <typename Multiply>
  Index solve(View<C> u, double tolerance, Index iterations, const Multiply& multiply, Context& ctx) {
    constexpr double epsilon = std::numeric_limits<T>::epsilon();
    const double rr = squared_norm<T>(r_, ctx);
    const double enough = std::max(tolerance * tolerance, 1e-4 * epsilon * epsilon) * rr;
    if (!(rr > std::numeric_limits<double>::min())) return 0;
    begin(rr, ctx);
    return run(
        0, iterations,
        [&] {
          multiply();
          return dot<T>(p_, q_, ctx).real();
        },
        [&](double step) { axpy<T>(step, p_, u, ctx); },
        [&](Index) -> std::optional<double> {
          const double following = squared_norm<T>(r_, ctx);
          if (following <= enough) return {};
          precondition(ctx);
          return decrease(following, ctx);
        },
        [](Index) {}, ctx);
  }

 private:
  const Operator<T> preconditioner_;
  Array<C> r_, p_, q_, z_;
  double rz_ = 0;
};

}  // namespace larmor::detail
