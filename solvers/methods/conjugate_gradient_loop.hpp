#pragma once

#include <larmor/core/vectors/replay.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <limits>
#include <optional>

namespace larmor::detail {

/// Conjugate gradients for M u = c (Hestenes & Stiefel 1952): the vectors and the loop of all solvers that
/// use them. preconditioner: an approximate inverse of M, Hermitian and positive definite; none: the
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

  /// Must hold c − M u at the start.
  Array<C>& residual() { return r_; }
  /// The search direction p, and the product M p.
  Array<C>& direction() { return p_; }
  Array<C>& product() { return q_; }
  /// The preconditioned residual.
  View<const C> preconditioned() const { return preconditioner_ ? z_ : r_; }
  /// Computes it from the residual.
  void precondition() {
    if (preconditioner_) precondition_();
  }
  /// Its product with the residual, whose squared norm is rr.
  double decrease(double rr, Context& ctx) const { return preconditioner_ ? dot<T>(r_, z_, ctx).real() : rr; }
  /// decrease() of the current residual, which a checkpoint stores.
  double present() const { return rz_; }
  /// Resumes from a checkpoint after its vectors are restored.
  void resume(double rz) { rz_ = rz; }

  /// Takes the residual, whose squared norm is rr, as the first direction.
  void begin(double rr, Context& ctx) {
    precondition();
    rz_ = decrease(rr, ctx);
    copy<T>(preconditioned(), p_, ctx);
  }

  /// Iterations from done + 1; returns the last one. multiply() sets product() = M direction() and returns
  /// their inner product, 0 to stop; move(a) adds a times the direction to u; measure(iteration) evaluates u
  /// and the residual and returns its decrease(), nothing to stop; keep(iteration) is called between
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

  /// Inside another solver: iterates until the residual's norm falls below `tolerance` times its first value.
  /// multiply() sets product() = M direction(); move(a) adds a times the direction to u. With `go_on` M is
  /// that of the last call, and u has not moved since: first the component of the residual along the last
  /// direction is removed, and the next direction is conjugate to it. Returns the number of products.
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
          if (i == iterations) return {};  // the direction remains that of the product
          precondition();
          const auto [following, decreased] = dots<T>({{r_, r_}, {r_, preconditioned()}}, ctx);
          if (following.real() <= enough) return {};
          return decreased.real();
        },
        [](Index) {}, ctx);
  }

 private:
  // Takes `step` times the last direction, whose inner product with its product by M is pq.
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
