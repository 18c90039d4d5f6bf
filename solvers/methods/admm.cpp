#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/replay.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/solvers/methods/admm.hpp>
#include <larmor/solvers/methods/conjugate_gradient_loop.hpp>
#include <larmor/solvers/problem/scaled_problem.hpp>
#include <larmor/solvers/regularizers/low_rank.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

constexpr double first_rho = 0.1;
// Relative residuals may differ by this factor before rho changes, and a change is at most this large.
constexpr double balance_band = 2, largest_change = 5;
// AᴴA u is updated by the inner iterations, and recomputed after this many outer ones.
constexpr Index anew_every = 16;
// Inner iterations that always continue the previous ones may never settle if they are preconditioned, and
// may diverge if several terms hold the same image.
constexpr Index begin_again_every = 4;
// rho of a similar problem changes only after this many iterations.
constexpr Index first_change_near = 8;

template <typename T>
class Admm {
 public:
  using C = std::complex<T>;
  Admm(const detail::ScaledProblem<T>& scaled, const SolverOptions<T>& options, detail::SolverRun<T>& run,
       Context& ctx)
      : scaled_(scaled),
        options_(options),
        run_(run),
        ctx_(ctx),
        inner_(scaled.unknowns(), options.preconditioner, ctx),
        u_(scaled.unknowns(), ctx.device()),
        multipliers_(scaled.unknowns(), ctx.device()),
        violation_(scaled.unknowns(), ctx.device()),
        gradient_(scaled.unknowns(), ctx.device()),
        Hu_(scaled.image(), ctx.device()),
        Hp_(scaled.image(), ctx.device()),
        apply_to_u_([this] { scaled_.normal().apply(scaled_.image_of(u_.view()), Hu_, ctx_); }, ctx),
        apply_to_p_(
            [this] { scaled_.normal().apply(scaled_.image_of(inner_.direction().view()), Hp_, ctx_); }, ctx),
        transform_terms_(
            [this] {
              for (Term& term : terms_) scaled_.transform(*term.of, u_, term.w, ctx_);
            },
            ctx),
        gather_terms_([this] { gather_terms(); }, ctx),
        rho_(options.admm.rho > 0 ? options.admm.rho : first_rho),
        begins_again_(options.preconditioner || (scaled.terms().size() > 1 && scaled.auxiliary() == 0)) {
    std::size_t scratch = scaled.scratch_bytes(ctx);
    if (options.preconditioner) scratch = std::max(scratch, options.preconditioner.scratch_bytes(ctx));
    for (const auto* regularizer : scaled.terms()) {
      Term term;
      term.of = regularizer;
      term.weight = regularizer->transform ? 1 / regularizer->transform_norm_squared : 1;
      const Shape shape = scaled.copy_shape(*regularizer);
      for (Array<C>* vector : {&term.z, &term.y, &term.w}) *vector = Array<C>(shape, ctx.device());
      if (regularizer->transform) {
        const auto normal = regularizer->transform.normal(ctx);
        if (!dynamic_cast<const Identity<T>*>(&normal.held())) {
          scratch = std::max(scratch, normal.scratch_bytes(ctx));
          term.normal = normal;
        }
      }
      terms_.push_back(std::move(term));
    }
    ctx.arena().reserve(scratch);
  }

  SolverResult<T> solve() {
    const Index done = begin();
    for (Index iteration = done + 1; iteration <= options_.iterations; ++iteration) {
      ctx_.throw_if_cancelled();
      const Index products = inner_.solve(
          options_.admm.inner_tolerance, options_.admm.inner_iterations, go_on_, [&] { multiply(); },
          [&](double size) {
            axpy<T>(size, inner_.direction(), u_, ctx_);
            axpy<T>(size, Hp_, Hu_, ctx_);
          },
          ctx_);
      run_.result.normal_applies += products;
      go_on_ = (go_on_ || products > 0) && !(begins_again_ && iteration % begin_again_every == 0);
      if (step(iteration)) break;
      if (run_.checkpoint_due(iteration)) {
        const auto vectors = state();
        run_.checkpoint(iteration, {vectors.begin(), vectors.end()},
                        {scaled_.norm_squared(), scaled_.scale(), rho_, static_cast<double>(next_change_),
                         go_on_ ? 1.0 : 0.0});
      }
    }
    if (options_.keep_state) keep_state();
    return scaled_.finish(run_, u_, ctx_);
  }

 private:
  struct Term {
    const Regularizer<T>* of = nullptr;
    Operator<T> normal;  // WᴴW; none: the identity
    double weight = 1;   // of ‖Wx − z‖² relative to rho
    Array<C> z, y, w;    // copy, multiplier over its weight, scratch
  };

  // State that the next iteration needs.
  std::vector<View<C>> state() {
    std::vector<View<C>> vectors = {u_,  inner_.residual(), inner_.direction(), inner_.product(), Hp_,
                                    Hu_, multipliers_};
    for (Term& term : terms_) vectors.push_back(term.y);
    return vectors;
  }

  Index begin() {
    if (run_.resumed()) {
      rho_ = run_.resumed_scalar(2);
      next_change_ = static_cast<Index>(run_.resumed_scalar(3));
      go_on_ = run_.resumed_scalar(4) > 0;
      return run_.restore(state());
    }
    const bool near = options_.state != nullptr;
    if (near)
      take_state(*options_.state);
    else
      for (Term& term : terms_) fill<T>(term.y, 0, ctx_);
    fill<T>(multipliers_, 0, ctx_);
    const bool warm = near || scaled_.start(options_.start, u_, ctx_);
    fill<T>(inner_.residual(), 0, ctx_);
    const View<C> r = scaled_.image_of(inner_.residual().view());
    combine<T>({{scaled_.rhs_factor(), scaled_.rhs()}}, r, ctx_);
    fill<T>(Hu_, 0, ctx_);
    if (warm) {
      apply_to_u_();
      ++run_.result.normal_applies;
      combine<T>({{1, r}, {-scaled_.curvature(), Hu_}, {-scaled_.quadratic(), scaled_.image_of(u_.view())}},
                 r, ctx_);
      if (near) {
        gather_terms();
        axpy<T>(-rho_, multipliers_, inner_.residual(), ctx_);
      } else {
        begin_near();
      }
    }
    return 0;
  }

  void take_state(const SplittingState<T>& state) {
    if (state.unknowns.size() != u_.size() || state.multipliers.size() != terms_.size())
      throw usage_error("admm: the initial state belongs to another problem");
    copy<T>(state.unknowns, u_, ctx_);
    for (std::size_t i = 0; i < terms_.size(); ++i) copy<T>(state.multipliers[i], terms_[i].y, ctx_);
    next_change_ = first_change_near;
    if (options_.admm.balance || state.rho == rho_) {
      rho_ = state.rho;
      return;
    }
    for (Term& term : terms_) scale<T>(state.rho / rho_, term.y.view(), ctx_);
  }
  void keep_state() {
    auto state = std::make_shared<SplittingState<T>>();
    state->unknowns = clone<const C>(u_);
    for (Term& term : terms_) state->multipliers.push_back(std::move(term.y));
    state->rho = rho_;
    run_.result.state = std::move(state);
  }

  // At the minimum −∇f = ρ Wᴴ y. If WᴴW = 1, the gradient at the first iterate gives these multipliers, and
  // the first step has nothing left to solve.
  void begin_near() {
    if (terms_.size() != 1 || terms_[0].normal || scaled_.auxiliary() > 0) return;
    Term& term = terms_[0];
    scaled_.transform(*term.of, inner_.residual(), term.y, ctx_);
    scale<T>(1 / (rho_ * term.weight), term.y.view(), ctx_);
    gather_terms();
    fill<T>(inner_.residual(), 0, ctx_);
  }

  // product = (H + q + Σ ρ_i W_iᴴW_i) direction
  void multiply() {
    apply_to_p_();
    const View<C> p = inner_.direction(), product = inner_.product();
    double shift = scaled_.quadratic();
    for (const Term& term : terms_)
      if (!term.normal) shift += rho_ * term.weight;
    if (scaled_.auxiliary() > 0) fill<T>(product, 0, ctx_);
    combine<T>({{scaled_.curvature(), Hp_}, {shift, scaled_.image_of(p)}}, scaled_.image_of(product), ctx_);
    for (const Term& term : terms_) {
      if (!term.normal) continue;
      const View<C> Np = scaled_.argument_of(*term.of, violation_.view());
      const View<C> into = scaled_.argument_of(*term.of, product);
      term.normal.apply(scaled_.argument_of(*term.of, p), Np, ctx_);
      axpy<T>(rho_ * term.weight, Np, into, ctx_);
    }
  }

  // Sum of the multipliers' terms, and its change: a change of y_i is the error of its copy.
  void gather_terms() {
    combine<T>({{-1, multipliers_}}, violation_, ctx_);
    fill<T>(multipliers_, 0, ctx_);
    for (Term& term : terms_) scaled_.add_adjoint(*term.of, term.weight, term.y, term.w, multipliers_, ctx_);
    axpy<T>(1, multipliers_, violation_, ctx_);
  }

  // Updates copies, multipliers, and the residual from which the next iteration starts; true: stop.
  bool step(Index iteration) {
    double violated = 0, copies = 0, transformed = 0, others = 0;
    transform_terms_();
    for (Term& term : terms_) {
      axpy<T>(1, term.w, term.y, ctx_);
      term.of->function->apply(term.of->lambda / (rho_ * term.weight), term.y, term.z, ctx_, iteration - 1);
      axpy<T>(-1, term.z, term.y, ctx_);
      axpy<T>(-1, term.z, term.w, ctx_);
      const auto [dd, zz, dz] = dots<T>({{term.w, term.w}, {term.z, term.z}, {term.w, term.z}}, ctx_);
      violated += term.weight * dd.real();
      copies += term.weight * zz.real();
      transformed += term.weight * (zz.real() + 2 * dz.real() + dd.real());
      if (options_.objective) others += term.of->lambda * term.of->function->value(term.z, ctx_);
    }
    gather_terms_();
    if (iteration % anew_every == 0) {
      apply_to_u_();
      ++run_.result.normal_applies;
    }
    const View<const C> x = scaled_.image_of(u_.view());
    combine<T>({{rho_, multipliers_}}, gradient_, ctx_);
    scaled_.add_gradient(x, Hu_, scaled_.image_of(gradient_.view()), ctx_);
    // The inner residual r belongs to the previous copies: ∇f + Σ ρ_i W_iᴴ (y_i + z_i − z_i before) = −r.
    const View<const C> r = inner_.residual();
    const auto [gg, gr, rr, yy] =
        dots<T>({{gradient_, gradient_}, {gradient_, r}, {r, r}, {multipliers_, multipliers_}}, ctx_);
    const double gradient = std::sqrt(gg.real()) / scaled_.rhs_norm(),
                 multipliers = rho_ * std::sqrt(yy.real());
    const double moved = std::sqrt(std::max(0.0, gg.real() + 2 * gr.real() + rr.real()));
    const double larger = std::sqrt(std::max(copies, transformed));
    const double constraint = larger > 0 ? std::sqrt(violated) / larger : 0;
    const double objective = scaled_.objective(x, Hu_, others, options_.objective, ctx_);
    const bool stop =
        run_.record({iteration, gradient, objective, constraint}, x, scaled_.image(), scaled_.to_image());
    if (!stop && multipliers > 0)
      balance(iteration, constraint, moved / std::sqrt(multipliers * scaled_.rhs_norm()));
    combine<T>({{-1, gradient_}, {-rho_, violation_}}, inner_.residual(), ctx_);
    return stop;
  }

  // Changes rho if residuals have drifted apart, less and less often, so that it settles. Σ ρ_i W_iᴴ y_i is
  // kept, so that only the weight of the violation changes in the equation. dual: movement of the copies, ‖Σ
  // ρ_i W_iᴴ (z_i − z_i before)‖, which excludes the error of the inner solver, relative to the geometric
  // mean of ‖Σ ρ_i W_iᴴ y_i‖ and ‖Aᴴy‖. Relative to the data alone, of which the terms are a small part if
  // few frequencies have most of the samples, rho grows too large; relative to the multipliers alone it
  // becomes too small for the last digits.
  void balance(Index iteration, double primal, double dual) {
    if (!options_.admm.balance || terms_.empty() || iteration < next_change_ || !(primal > 0) || !(dual > 0))
      return;
    next_change_ = iteration + std::max<Index>(2, iteration / 4);
    const double ratio = std::sqrt(primal / dual);
    if (ratio < balance_band && ratio > 1 / balance_band) return;
    const double change = std::clamp(ratio, 1 / largest_change, largest_change);
    rho_ *= change;
    go_on_ = false;
    for (Term& term : terms_) scale<T>(1 / change, term.y.view(), ctx_);
    scale<T>(1 / change, multipliers_.view(), ctx_);
  }

  const detail::ScaledProblem<T>& scaled_;
  const SolverOptions<T>& options_;
  detail::SolverRun<T>& run_;
  Context& ctx_;
  detail::ConjugateGradientLoop<T> inner_;
  std::vector<Term> terms_;
  Array<C> u_;
  Array<C> multipliers_, violation_;  // Σ ρ_i W_iᴴ y_i and Σ ρ_i W_iᴴ (W_i x − z_i), both over ρ
  Array<C> gradient_;                 // ∇f + Σ ρ_i W_iᴴ y_i
  Array<C> Hu_, Hp_;
  Replay apply_to_u_, apply_to_p_, transform_terms_, gather_terms_;
  double rho_;
  bool begins_again_;  // every few iterations
  Index next_change_ = 2;
  bool go_on_ = false;  // the inner iterations, with the equation of the last ones
};

}  // namespace

template <typename T>
void fix_shifts(Problem<T>& problem) {
  for (Regularizer<T>& term : problem.regularizers)
    if (auto fixed = with_fixed_shifts(term))
      term = std::move(*fixed);
    else if (auto still = without_shifts(term))
      term = std::move(*still);
}

template <typename T>
SolverResult<T> admm(const Problem<T>& problem, const SolverOptions<T>& options, Context& ctx) {
  detail::SolverRun<T> run("admm", options.iterations, options.tolerance, options.hooks, ctx,
                           options.distance);
  if (!(options.admm.rho >= 0) || options.admm.inner_iterations < 1 || !(options.admm.inner_tolerance >= 0))
    throw usage_error(
        "admm: rho {}, {} inner iterations to a tolerance of {}; expected numbers from 0, and one or more "
        "iterations",
        options.admm.rho, options.admm.inner_iterations, options.admm.inner_tolerance);
  Problem<T> fixed = problem;
  fix_shifts(fixed);
  const detail::ScaledProblem<T> scaled(fixed, run, SolvableTerms::any, ctx);
  // Preconditioned inner steps that end early also prevent iterates from settling in the end.
  run.varies = scaled.varies() || options.preconditioner;
  scaled.check_preconditioner(options, "admm");
  if (scaled.zero_data()) return scaled.finish_zero(run, ctx);
  return Admm<T>(scaled, options, run, ctx).solve();
}

template void fix_shifts(Problem<float>&);
template void fix_shifts(Problem<double>&);
template SolverResult<float> admm<float>(const Problem<float>&, const SolverOptions<float>&, Context&);
template SolverResult<double> admm<double>(const Problem<double>&, const SolverOptions<double>&, Context&);

}  // namespace larmor
