#include <larmor/core/vectors/replay.hpp>
#include <larmor/solvers/methods/pdhg.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/problem/scaled_problem.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

// Power iteration approaches norms from below; τ stays under its bound of 2.
constexpr double norm_margin = 1.02, transform_margin = 1.05, primal_step = 1.8;

// Σ W_iᴴW_i/‖W_i‖² on all unknowns, for its largest eigenvalue.
template <typename T>
class TransformsNormal final : public OperatorBase<TransformsNormal<T>, T> {
 public:
  using Scalar = std::complex<T>;
  TransformsNormal(const detail::ScaledProblem<T>& scaled, std::vector<Array<Scalar>>& copies)
      : OperatorBase<TransformsNormal<T>, T>(scaled.unknowns(), scaled.unknowns()),
        scaled_(&scaled),
        copies_(&copies) {}
  std::string name() const override { return "TransformsNormal"; }
  std::size_t scratch_bytes(const Context& ctx) const override { return scaled_->scratch_bytes(ctx); }

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write mode) const override {
    if (mode == Write::overwrite) fill<T>(y, 0, ctx);
    for (std::size_t i = 0; i < copies_->size(); ++i) {
      const Regularizer<T>& term = *scaled_->terms()[i];
      const View<Scalar> w = (*copies_)[i];
      scaled_->transform(term, x, w, ctx);
      scaled_->add_adjoint(term, term.transform ? 1 / term.transform_norm_squared : 1, w, w, y, ctx);
    }
  }
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write mode) const override {
    do_apply(y, x, ctx, mode);
  }

 private:
  const detail::ScaledProblem<T>* scaled_;
  std::vector<Array<Scalar>>* copies_;
};

}  // namespace

template <typename T>
SolverResult<T> pdhg(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx) {
  using C = std::complex<T>;
  detail::SolverRun<T> run("pdhg", options.iterations, options.tolerance, options.hooks, ctx,
                           options.distance);
  const detail::ScaledProblem<T> scaled(problem, run, SolvableTerms::any, ctx);
  run.varies = scaled.varies();
  if (scaled.zero_data()) return scaled.finish_zero(run, ctx);

  const auto& terms = scaled.terms();
  const Shape shape = scaled.unknowns();
  // Unknowns, ∇f(u) + s, and s = Σ W_iᴴ y_i, current and previous.
  Array<C> u(shape, ctx.device()), slope(shape, ctx.device()), s(shape, ctx.device()),
      before(shape, ctx.device());
  Array<C> Hu(scaled.image(), ctx.device());
  std::vector<Array<C>> y, w, z;  // multipliers over σ_i, W_i u, its proximal point
  for (const auto* term : terms)
    for (auto* vectors : {&y, &w, &z}) vectors->emplace_back(scaled.copy_shape(*term), ctx.device());
  ctx.arena().reserve(scaled.scratch_bytes(ctx));
  const View<C> x = scaled.image_of(u.view());
  Replay apply_normal([&] { scaled.normal().apply(x, Hu, ctx); }, ctx);
  const auto find_slope = [&] {
    apply_normal();
    ++run.result.normal_applies;
    copy<T>(s, slope, ctx);
    scaled.add_gradient(x, Hu, scaled.image_of(slope.view()), ctx);
  };

  double transforms = 1;  // ‖Σ W_iᴴW_i/‖W_i‖²‖, at most the number of terms
  Index done = 0;
  if (run.resumed()) {
    std::vector<View<C>> state = {u, s, slope};
    for (auto& multiplier : y) state.push_back(multiplier);
    transforms = run.resumed_scalar(2);
    done = run.restore(state);
  } else {
    if (!terms.empty())
      transforms =
          std::min(transform_margin * largest_eigenvalue(TransformsNormal<T>(scaled, w), ctx, 30, 1e-3),
                   static_cast<double>(terms.size()));
    if (!(transforms > 0)) transforms = 1;
    scaled.start(options.start, u, ctx);
    for (auto& multiplier : y) fill<T>(multiplier, 0, ctx);
    fill<T>(s, 0, ctx);
    find_slope();
  }
  const double tau = primal_step / (norm_margin + scaled.quadratic());
  run.result.step_size = tau / scaled.norm_squared();

  for (Index iteration = done + 1; iteration <= options.iterations; ++iteration) {
    ctx.throw_if_cancelled();
    axpy<T>(-tau, slope, u, ctx);
    s.swap(before);
    fill<T>(s, 0, ctx);
    double violated = 0, copies = 0, others = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Regularizer<T>& term = *terms[i];
      const double norm = term.transform ? term.transform_norm_squared : 1;
      const double sigma = 1 / (tau * transforms * norm);
      // y⁺ = W u + y − prox(W u + y), and the change of the multiplier
      scaled.transform(term, u, w[i], ctx);
      axpy<T>(1, y[i], w[i], ctx);
      term.function->apply(term.lambda / sigma, w[i], z[i], ctx, iteration - 1);
      combine<T>({{1, w[i]}, {-1, z[i]}, {-1, y[i]}}, w[i], ctx);
      const auto [dd, zz] = dots<T>({{w[i], w[i]}, {z[i], z[i]}}, ctx);
      violated += dd.real() / norm;
      copies += zz.real() / norm;
      if (options.objective) others += term.lambda * term.function->value(z[i], ctx);
      axpy<T>(1, w[i], y[i], ctx);
      scaled.add_adjoint(term, sigma, y[i], w[i], s, ctx);
    }
    combine<T>({{1, u}, {-tau, s}, {tau, before}}, u, ctx);
    find_slope();
    const double gradient = std::sqrt(squared_norm<T>(slope, ctx)) / scaled.rhs_norm();
    const double objective = scaled.objective(x, Hu, others, options.objective, ctx);
    const double constraint = copies > 0 ? std::sqrt(violated / copies) : violated > 0 ? 1.0 : 0.0;
    if (run.record({iteration, gradient, objective, constraint}, x, scaled.image(), scaled.to_image())) break;
    if (run.checkpoint_due(iteration)) {
      std::vector<View<const C>> state = {u, s, slope};
      for (const auto& multiplier : y) state.push_back(multiplier);
      run.checkpoint(iteration, state, {scaled.norm_squared(), scaled.scale(), transforms});
    }
  }
  return scaled.finish(run, u, ctx);
}

template SolverResult<float> pdhg<float>(const Problem<float>&, const SolverOptions<float>&, Context&);
template SolverResult<double> pdhg<double>(const Problem<double>&, const SolverOptions<double>&, Context&);

}  // namespace larmor
