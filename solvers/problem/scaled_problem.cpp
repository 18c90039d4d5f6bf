#include <larmor/core/format_error.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/problem/scaled_problem.hpp>

#include <algorithm>
#include <cmath>

namespace larmor::detail {
template <typename T>
void ScaledProblem<T>::check_term(const Regularizer<T>& term, const Context& ctx) const {
  if (!(term.lambda >= 0) || !std::isfinite(term.lambda))
    throw usage_error("{}: lambda must be zero or positive, got {}", term.name, term.lambda);
  if (term.quadratic) {
    if (term.transform)
      throw usage_error("{}: a quadratic term applies to the image itself, without a transform", term.name);
    if (!term.prior) return;
    if (!(term.prior->shape() == image()))
      throw usage_error("{}: the prior has shape {}, the image {}", term.name,
                        term.prior->shape().to_string(), image().to_string());
    if (!(term.prior->device() == ctx.device()))
      throw usage_error("{}: the prior is on {}, the solver computes on {}", term.name,
                        term.prior->device().to_string(), ctx.device().to_string());
    return;
  }
  if (!term.function) throw usage_error("{}: the term has no function", term.name);
  if (term.auxiliary < 0 || (term.auxiliary > 0 && !term.transform))
    throw usage_error("{}: {} further unknowns need a transform that takes them", term.name, term.auxiliary);
  if (!term.transform) return;
  const Shape expected = term.auxiliary > 0 ? Shape{image_size() + term.auxiliary} : image();
  if (!(term.transform.domain() == expected))
    throw usage_error("{}: the transform {} takes {}, the unknowns are {}", term.name, term.transform.name(),
                      term.transform.domain().to_string(), expected.to_string());
  if (!(term.transform_norm_squared > 0) || !std::isfinite(term.transform_norm_squared))
    throw usage_error("{}: squared norm of the transform {}, expected a positive bound", term.name,
                      term.transform_norm_squared);
}

template <typename T>
ScaledProblem<T>::ScaledProblem(const Problem<T>& problem, SolverRun<T>& run, SolvableTerms takes,
                                Context& ctx)
    : normal_(problem.normal), rhs_(problem.rhs), constant_(0.5 * problem.data_energy) {
  if (!normal_) throw usage_error("{}: the problem has no normal operator", run.name());
  if (!(normal_.codomain() == image()))
    throw usage_error("{}: the normal operator {} maps {} to {}, expected equal shapes", run.name(),
                      normal_.name(), image().to_string(), normal_.codomain().to_string());
  if (!(rhs_.shape() == image()))
    throw usage_error("{}: the right-hand side has shape {}, the normal operator {} takes {}", run.name(),
                      rhs_.shape().to_string(), normal_.name(), image().to_string());
  for (const auto& term : problem.regularizers) {
    check_term(term, ctx);
    if (term.lambda == 0) continue;
    if (term.quadratic) {
      quadratic_ += term.lambda;
      continue;
    }
    if (term.auxiliary > 0) {
      if (auxiliary_ > 0)
        throw usage_error("{}: a second term with further unknowns; only one of such terms can be solved for",
                          term.name);
      auxiliary_ = term.auxiliary;
    }
    terms_.push_back(&term);
  }
  if (takes == SolvableTerms::quadratic && !terms_.empty())
    throw usage_error("{} cannot take the term '{}', which is not quadratic; use fista, admm or pdhg",
                      run.name(), terms_[0]->name);
  if (takes == SolvableTerms::one_unitary && terms_.size() > 1)
    throw usage_error("{} takes one term that is not quadratic, got {}; use admm or pdhg", run.name(),
                      terms_.size());
  if (takes == SolvableTerms::one_unitary && !terms_.empty() && !is_unitary(*terms_[0], ctx))
    throw usage_error("{} cannot take the term '{}': its transform is not unitary; use admm or pdhg",
                      run.name(), terms_[0]->name);

  const double largest = max_magnitude<T>(rhs_, ctx);
  if (!std::isfinite(largest)) throw input_error("{}: the data contain NaN or infinite values", run.name());
  const bool has_prior =
      std::any_of(problem.regularizers.begin(), problem.regularizers.end(),
                  [](const auto& term) { return term.quadratic && term.prior && term.lambda > 0; });
  if (run.resumed()) {
    norm_squared_ = run.resumed_scalar(0);
    scale_ = run.resumed_scalar(1);
  } else {
    scale_ = problem.scale > 0 ? problem.scale : largest;
    if (scale_ == 0 && has_prior) scale_ = 1;
    const bool needed = scale_ > 0 && (takes != SolvableTerms::quadratic || quadratic_ > 0);
    norm_squared_ = problem.norm_squared > 0 ? problem.norm_squared
                    : needed                 ? largest_eigenvalue<T>(normal_, ctx)
                                             : 1;
  }
  if (scale_ > 0 && !(norm_squared_ > 0 && std::isfinite(norm_squared_)))
    throw input_error("{}: the largest eigenvalue of the normal operator is {}, expected a positive number",
                      run.name(), norm_squared_);
  if (has_prior) {
    rhs_with_priors_ = clone(rhs_);
    for (const auto& term : problem.regularizers) {
      if (!term.quadratic || !term.prior || term.lambda == 0) continue;
      axpy<T>(term.lambda * norm_squared_, *term.prior, rhs_with_priors_, ctx);
      constant_ += 0.5 * term.lambda * norm_squared_ * squared_norm<T>(*term.prior, ctx);
    }
    rhs_ = rhs_with_priors_;
  }
  rhs_norm_ = scale_ > 0 ? std::sqrt(squared_norm<T>(rhs_, ctx)) / scale_ : 0;
  if (!std::isfinite(rhs_norm_))
    throw input_error("{}: the prior contains NaN or infinite values", run.name());
  if (scale_ > 0) run.reserve(image(), !terms_.empty(), problem.rhs);
}

template <typename T>
double ScaledProblem<T>::objective(double xHx, double xb, double xx, double others) const {
  const double scaled = 0.5 * curvature() * xHx - rhs_factor() * xb + 0.5 * quadratic_ * xx + others;
  return scaled * scale_ * scale_ / norm_squared_ + constant_;
}

template <typename T>
double ScaledProblem<T>::objective(View<const C> x, View<const C> Hx, double others, bool wanted,
                                   Context& ctx) const {
  if (!wanted) return std::nan("");
  const auto [xHx, xb, xx] = dots<T>({{x, Hx}, {x, rhs_}, {x, x}}, ctx);
  return objective(xHx.real(), xb.real(), xx.real(), others);
}

template <typename T>
void ScaledProblem<T>::add_gradient(View<const C> x, View<const C> Hx, View<C> g, Context& ctx) const {
  combine<T>({{1, g}, {curvature(), Hx}, {quadratic_, x}, {-rhs_factor(), rhs_}}, g, ctx);
}

template <typename T>
void ScaledProblem<T>::transform(const Regularizer<T>& term, View<const C> u, View<C> w, Context& ctx) const {
  const View<const C> argument = argument_of(term, u);
  if (term.transform)
    term.transform.apply(argument, w, ctx);
  else
    copy<T>(argument, w, ctx);
}

template <typename T>
void ScaledProblem<T>::add_adjoint(const Regularizer<T>& term, double factor, View<const C> w,
                                   View<C> scratch, View<C> sum, Context& ctx) const {
  const View<C> into = argument_of(term, sum);
  if (!term.transform) return axpy<T>(factor, w, into, ctx);
  if (factor != 1) combine<T>({{factor, w}}, scratch, ctx);
  term.transform.adjoint(factor != 1 ? View<const C>(scratch) : w, into, ctx, Write::accumulate);
}

template <typename T>
void ScaledProblem<T>::check_preconditioner(const SolverOptions<T>& options,
                                            const std::string& solver) const {
  if (options.preconditioner && !(options.preconditioner.domain() == unknowns()))
    throw usage_error("{}: the preconditioner {} takes {}, the unknowns have shape {}", solver,
                      options.preconditioner.name(), options.preconditioner.domain().to_string(),
                      unknowns().to_string());
}

template <typename T>
std::size_t ScaledProblem<T>::scratch_bytes(const Context& ctx) const {
  std::size_t bytes = normal_.scratch_bytes(ctx);
  for (const auto* term : terms_) {
    bytes = std::max(bytes, term->function->scratch_bytes(ctx));
    if (term->transform) bytes = std::max(bytes, term->transform.scratch_bytes(ctx));
  }
  return bytes;
}

template <typename T>
double ScaledProblem<T>::others(View<const C> u, std::vector<Array<C>>& copies, Context& ctx,
                                std::optional<Index> iteration) const {
  double sum = 0;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    View<const C> z = argument_of(*terms_[i], u);
    if (terms_[i]->transform) {
      terms_[i]->transform.apply(z, copies[i], ctx);
      z = copies[i];
    }
    const ProximalMap<T>& function = *terms_[i]->function;
    sum += terms_[i]->lambda * (iteration ? function.value_in(*iteration, z, ctx) : function.value(z, ctx));
  }
  return sum;
}

template <typename T>
void ScaledProblem<T>::check_start(View<const C> image_start, Context& ctx) const {
  if (image_start.size() == 0) return;
  if (!(image_start.shape() == image()))
    throw usage_error("the first iterate has shape {}, the image {}", image_start.shape().to_string(),
                      image().to_string());
  if (!std::isfinite(max_magnitude<T>(image_start, ctx)))
    throw input_error("the first iterate contains NaN or infinite values");
}

template <typename T>
bool ScaledProblem<T>::start(View<const C> image_start, View<C> u, Context& ctx) const {
  check_start(image_start, ctx);
  fill<T>(u, 0, ctx);
  if (image_start.size() == 0) return false;
  combine<T>({{from_image(), image_start}}, image_of(u), ctx);
  return true;
}

template <typename T>
SolverResult<T> ScaledProblem<T>::finish(SolverRun<T>& run, View<const C> u, Context& ctx) const {
  run.result.x = Array<C>(image(), ctx.device());
  combine<T>({{to_image(), image_of(u)}}, run.result.x, ctx);
  run.result.operator_norm_squared = norm_squared_;
  run.result.scale = scale_;
  return std::move(run.result);
}

template <typename T>
SolverResult<T> ScaledProblem<T>::finish_zero(SolverRun<T>& run, Context& ctx) const {
  run.result.x = Array<C>(image(), ctx.device());
  fill<T>(run.result.x, 0, ctx);
  run.result.stop_reason = StopReason::zero_data;
  return std::move(run.result);
}

template class ScaledProblem<float>;
template class ScaledProblem<double>;

}  // namespace larmor::detail
