#pragma once

#include <larmor/core/vectors/replay.hpp>
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
        q_(shape, ctx.device()),
        precondition_([this, &ctx] { preconditioner_.apply(r_, z_, ctx); }, ctx) {
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
  void precondition() {
    if (preconditioner_) precondition_();
  }
  /// Its product with the residual, whose squared norm is rr.
  double decrease(double rr, Context& ctx) const { return preconditioner_ ? dot<T>(r_, z_, ctx).real() : rr; }
  /// decrease() of the present residual, which a checkpoint keeps.
  double present() const { return rz_; }
  /// Goes on from a checkpoint, its vectors being restored.
  void resume(double rz) { rz_ = rz; }

  /// Takes the residual, whose squared norm is rr, as the first direction.
  void begin(double rr, Context& ctx) {
    precondition();
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

  /// Inside of another solver: iterates until the residual's norm falls below `tolerance` times its first
  /// value. multiply() sets product() = M direction(); move(a) adds a times the direction to u. With `go_on`
  /// M is that of the last call, and u has not moved since: what the residual has got of the last direction
  /// is taken off first, and the next direction is conjugate to it. Returns the number of products.
  template <typename Multiply, typename Move>
  Index solve(double tolerance, Index iterations, bool go_on, const Multiply& multiply, const Move& move,
              Context& ctx) {
    constexpr double epsilon = std::numeric_limits<T>::epsilon();
    double rr = 0, pr = 0, pq = 0;
    if (go_on) {
      const auto sums = dots<T>({{r_, r_}, {p_, r_}, {p_, q_}}, ctx);
      rr = sums[0].real(), pr = sums[1].real(), pq = sums[2].real();
    } else {
      rr = squared_norm<T>(r_, ctx);
    }
    const double enough = std::max(tolerance * tolerance, 1e-4 * epsilon * epsilon) * rr;
    if (!(rr > std::numeric_limits<double>::min())) return 0;
    if (pq > 0)
      go_on_from(pr / pq, pq, move, ctx);
    else
      begin(rr, ctx);
    return run(
        0, iterations,
        [&] {
          multiply();
          return dot<T>(p_, q_, ctx).real();
        },
        move,
        [&](Index i) -> std::optional<double> {
          if (i == iterations) return {};  // the direction stays that of the product
          precondition();
          const auto [following, decreased] = dots<T>({{r_, r_}, {r_, preconditioned()}}, ctx);
          if (following.real() <= enough) return {};
          return decreased.real();
        },
        [](Index) {}, ctx);
  }

 private:
  // Takes `step` times the last direction, whose product with M has the product pq with it.
  template <typename Move>
  void go_on_from(double step, double pq, const Move& move, Context& ctx) {
    move(step);
    axpy<T>(-step, q_, r_, ctx);
    precondition();
    const auto [qz, rz] = dots<T>({{q_, preconditioned()}, {r_, preconditioned()}}, ctx);
    rz_ = rz.real();
    xpby<T>(preconditioned(), -qz.real() / pq, p_, ctx);
  }

  const Operator<T> preconditioner_;
  Array<C> r_, p_, q_, z_;
  Replay precondition_;
  double rz_ = 0;
};

}  // namespace larmor::detail
