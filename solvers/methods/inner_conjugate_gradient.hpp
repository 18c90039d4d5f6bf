#pragma once

#include <larmor/operators/linear_operator.hpp>

#include <limits>

namespace larmor::detail {

/// Conjugate gradients inside of another solver: its vectors outlive the calls. preconditioner: an
/// approximate inverse of the operator, Hermitian and positive definite; none: the identity.
template <typename T>
class InnerConjugateGradient {
 public:
  using C = std::complex<T>;
  InnerConjugateGradient(const Shape& shape, const Operator<T>& preconditioner, Context& ctx)
      : preconditioner_(preconditioner),
        r_(shape, ctx.device()),
        p_(shape, ctx.device()),
        q_(shape, ctx.device()) {
    if (preconditioner) z_ = Array<C>(shape, ctx.device());
  }

  /// To hold c − M u before solve().
  Array<C>& residual() { return r_; }
  /// Where the operator is applied: multiply() has to set product() = M direction().
  Array<C>& direction() { return p_; }
  Array<C>& product() { return q_; }

  /// Moves u towards the solution of M u = c, until the residual's norm falls below `tolerance` times its
  /// first value. Returns the number of products.
  template <typename Multiply>
  Index solve(View<C> u, double tolerance, Index iterations, const Multiply& multiply, Context& ctx) {
    const double rr = squared_norm<T>(r_, ctx);
    const double enough = std::max(tolerance * tolerance, 1e-4 * epsilon * epsilon) * rr;
    if (!(rr > std::numeric_limits<double>::min())) return 0;
    double rz = precondition(rr, ctx);
    copy<T>(preconditioned(), p_, ctx);
    for (Index i = 1; i <= iterations; ++i) {
      ctx.throw_if_cancelled();
      multiply();
      const double curvature = dot<T>(p_, q_, ctx).real();
      if (!(curvature > 0)) return i;
      const double step = rz / curvature;
      axpy<T>(step, p_, u, ctx);
      axpy<T>(-step, q_, r_, ctx);
      const double following = squared_norm<T>(r_, ctx);
      if (following <= enough) return i;
      const double next = precondition(following, ctx);
      xpby<T>(preconditioned(), next / rz, p_, ctx);
      rz = next;
    }
    return iterations;
  }

 private:
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();
  View<const C> preconditioned() const { return preconditioner_ ? z_ : r_; }
  // The residual's product with what the preconditioner makes of it; rr: with itself.
  double precondition(double rr, Context& ctx) {
    if (!preconditioner_) return rr;
    preconditioner_.apply(r_, z_, ctx);
    return dot<T>(r_, z_, ctx).real();
  }

  const Operator<T> preconditioner_;
  Array<C> r_, p_, q_, z_;
};

}  // namespace larmor::detail
