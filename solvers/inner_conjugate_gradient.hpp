#pragma once

#include <larmor/core/vector_ops.hpp>

#include <limits>

namespace larmor::detail {

/// Conjugate gradients inside of another solver: its vectors outlive the calls.
template <typename T>
class InnerConjugateGradient {
 public:
  using C = std::complex<T>;
  InnerConjugateGradient(const Shape& shape, Context& ctx)
      : r_(shape, ctx.device()), p_(shape, ctx.device()), q_(shape, ctx.device()) {}

  /// To hold c − M u before solve().
  Array<C>& residual() { return r_; }
  /// Where the operator is applied: multiply() has to set product() = M direction().
  Array<C>& direction() { return p_; }
  Array<C>& product() { return q_; }

  /// Moves u towards the solution of M u = c, until the residual's norm falls below `tolerance` times its
  /// first value. Returns the number of products.
  template <typename Multiply>
  Index solve(View<C> u, double tolerance, Index iterations, const Multiply& multiply, Context& ctx) {
    double rr = squared_norm<T>(r_, ctx);
    const double enough = std::max(tolerance * tolerance, 1e-4 * epsilon * epsilon) * rr;
    if (!(rr > std::numeric_limits<double>::min())) return 0;
    copy<T>(r_, p_, ctx);
    for (Index i = 1; i <= iterations; ++i) {
      ctx.throw_if_cancelled();
      multiply();
      const double curvature = dot<T>(p_, q_, ctx).real();
      if (!(curvature > 0)) return i;
      const double step = rr / curvature;
      axpy<T>(step, p_, u, ctx);
      axpy<T>(-step, q_, r_, ctx);
      const double following = squared_norm<T>(r_, ctx);
      if (following <= enough) return i;
      xpby<T>(r_, following / rr, p_, ctx);
      rr = following;
    }
    return iterations;
  }

 private:
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();
  Array<C> r_, p_, q_;
};

}  // namespace larmor::detail
