#include <larmor/core/format_error.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/solvers/methods/pdhg_on_samples.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/problem/on_samples.hpp>

#include <algorithm>
#include <cmath>

namespace larmor::detail {
namespace {

// Power iterations find norms from below; few of them, because each costs as much as a step of the solver.
constexpr int norm_iterations = 15;
constexpr double norm_accuracy = 1e-2, estimate_margin = 1.05;
// The dual step of the data is this times P, the primal one the larger; of the bound for both the data have
// a part, the terms the rest. Found by trial: convergence changes little around them.
constexpr double dual_step = 0.1, data_share = 0.2;

}  // namespace

template <typename T>
SolverResult<T> pdhg_on_samples(const Problem<T>& problem, const ScaledProblem<T>& scaled,
                                const SolverOptions<T>& options, SolverRun<T>& run, Context& ctx) {
  using C = std::complex<T>;
  check_on_samples("pdhg", problem, options);
  const LinearOperator<T>& A = problem.model;
  const auto& terms = scaled.terms();
  const bool primal =
      terms.size() == 1 && is_unitary(*terms[0], ctx);  // the term is taken in the primal step
  const std::size_t duals = primal ? 0 : terms.size();

  // Unknowns, Σ Kᴴ duals, the point that the duals look at, and a subgradient of the objective.
  const Shape shape = scaled.unknowns();
  Array<C> u(shape, ctx.device()), s(shape, ctx.device()), ahead(shape, ctx.device()),
      slope(shape, ctx.device());
  Array<C> image(scaled.image(), ctx.device()), Hu(scaled.image(), ctx.device());
  Array<C> v(A.codomain(), ctx.device()), residual(A.codomain(), ctx.device()),
      next(A.codomain(), ctx.device());
  std::vector<Array<C>> y, w, z;
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (auto* vectors : {&y, &w, &z}) vectors->emplace_back(scaled.copy_shape(*terms[i]), ctx.device());
  ctx.arena().reserve(std::max(A.scratch_bytes(ctx), scaled.scratch_bytes(ctx)));

  // In the scaled problem A is divided by its norm and P multiplied with its square.
  const double norm = std::sqrt(scaled.norm_squared()), data_factor = norm * scaled.rhs_factor();
  const Diagonal<T> weights(options.sample_preconditioner->view());
  double data_norm = 0;
  if (run.resumed()) {
    data_norm = run.resumed_scalar(2);
  } else {
    data_norm =
        estimate_margin * largest_eigenvalue(adjoint(A) * weights * A, ctx, norm_iterations, norm_accuracy);
  }
  if (!(data_norm > 0) || !std::isfinite(data_norm))
    throw input_error("pdhg: AᴴPA has the largest eigenvalue {}, expected a positive number", data_norm);
  const double tau = (duals > 0 ? data_share : 1) / (dual_step * data_norm);
  // Of each term, whose transform over its norm has a norm of at most 1.
  const double terms_step = (1 - data_share) / (tau * static_cast<double>(std::max<std::size_t>(duals, 1)));
  // v ← (v + σP (A x̄ − y)) / (1 + σP)
  const auto factors = [&](bool of_residual) {
    Array<C> values = copied_to(Device::cpu(), options.sample_preconditioner->view());
    for (C& value : values) {
      const double p = dual_step * static_cast<double>(value.real()) * scaled.norm_squared();
      value = static_cast<T>((of_residual ? p : 1) / (1 + p));
    }
    return Diagonal<T>(moved_to(ctx.device(), std::move(values)));
  };
  const Diagonal<T> keep = factors(false), take = factors(true);

  const double q = scaled.quadratic();
  Array<C> pull = mean_prior(problem, scaled, ctx);  // q p in the scaled problem
  if (!pull.empty()) scale<T>(q * scaled.from_image(), pull.view(), ctx);
  const auto find_s = [&] {
    fill<T>(s, 0, ctx);
    A.adjoint(v, image, ctx);
    axpy<T>(1 / norm, image, scaled.image_of(s.view()), ctx);
    for (std::size_t i = 0; i < duals; ++i) scaled.add_adjoint(*terms[i], 1, y[i], w[i], s, ctx);
  };

  Index done = 0;
  if (run.resumed()) {
    std::vector<View<C>> state = {u, v, s};
    for (std::size_t i = 0; i < duals; ++i) state.push_back(y[i]);
    done = run.restore(state);
  } else {
    fill<T>(u, 0, ctx);
    if (!pull.empty()) combine<T>({{1 / q, pull}}, scaled.image_of(u.view()), ctx);
    fill<T>(v, 0, ctx);
    for (auto& dual : y) fill<T>(dual, 0, ctx);
    fill<T>(s, 0, ctx);
  }

  for (Index iteration = done + 1; iteration <= options.iterations; ++iteration) {
    ctx.throw_if_cancelled();
    // The primal step; then `ahead` = 2 u⁺ − u.
    copy<T>(u, ahead, ctx);
    axpy<T>(-tau, s, u, ctx);
    const View<C> x = scaled.image_of(u.view());
    const double damped = 1 / (1 + tau * q);
    if (!pull.empty()) axpy<T>(tau, pull, x, ctx);
    if (q > 0) scale<T>(damped, x, ctx);
    double others = 0;
    if (primal) {
      // u − prox(u) over the step is a subgradient of the term at the new point.
      copy<T>(u, slope, ctx);
      scaled.transform(*terms[0], u, z[0], ctx);
      terms[0]->function->apply(tau * damped * terms[0]->lambda, z[0], z[0], ctx, iteration - 1);
      if (options.objective) others = terms[0]->lambda * terms[0]->function->value(z[0], ctx);
      if (terms[0]->transform)
        terms[0]->transform.adjoint(z[0], u, ctx);
      else
        copy<T>(z[0], u, ctx);
      combine<T>({{1 / (tau * damped), slope}, {-1 / (tau * damped), u}}, slope, ctx);
    }
    combine<T>({{2, u}, {-1, ahead}}, ahead, ctx);

    // The data's dual.
    A.apply(scaled.image_of(View<const C>(ahead)), residual, ctx);
    combine<T>({{1 / norm, residual}, {-data_factor, problem.samples.view()}}, residual, ctx);
    keep.apply(v, next, ctx);
    take.apply(residual, next, ctx, Write::accumulate);
    next.swap(v);
    // The terms' duals: prox of σ W x̄ + y taken off.
    double violated = 0, copies = 0;
    for (std::size_t i = 0; i < duals; ++i) {
      const double bound = terms[i]->transform ? terms[i]->transform_norm_squared : 1;
      const double sigma = terms_step / bound;
      scaled.transform(*terms[i], ahead, w[i], ctx);
      axpy<T>(1 / sigma, y[i], w[i], ctx);
      terms[i]->function->apply(terms[i]->lambda / sigma, w[i], z[i], ctx, iteration - 1);
      combine<T>({{sigma, w[i]}, {-sigma, z[i]}}, y[i], ctx);
      if (options.objective) others += terms[i]->lambda * terms[i]->function->value(z[i], ctx);
      scaled.transform(*terms[i], u, w[i], ctx);
      axpy<T>(-1, z[i], w[i], ctx);
      const auto [dd, zz] = dots<T>({{w[i], w[i]}, {z[i], z[i]}}, ctx);
      violated += dd.real() / bound;
      copies += zz.real() / bound;
    }
    find_s();

    // A subgradient of the objective: ∇f(x), and of the terms what their steps certify.
    scaled.normal().apply(x, Hu, ctx);
    ++run.result.normal_applies;
    if (!primal) {
      fill<T>(slope, 0, ctx);
      for (std::size_t i = 0; i < duals; ++i) scaled.add_adjoint(*terms[i], 1, y[i], w[i], slope, ctx);
    }
    scaled.add_gradient(x, Hu, scaled.image_of(slope.view()), ctx);
    const double gradient = std::sqrt(squared_norm<T>(slope, ctx)) / scaled.rhs_norm();
    const double objective = scaled.objective(x, Hu, others, options.objective, ctx);
    const double constraint = copies > 0 ? std::sqrt(violated / copies) : violated > 0 ? 1.0 : 0.0;
    if (run.record({iteration, gradient, objective, constraint}, x, scaled.image(), scaled.to_image())) break;
    if (run.checkpoint_due(iteration)) {
      std::vector<View<const C>> state = {u, v, s};
      for (std::size_t i = 0; i < duals; ++i) state.push_back(y[i]);
      run.checkpoint(iteration, state, {scaled.norm_squared(), scaled.scale(), data_norm});
    }
  }
  return scaled.finish(run, u, ctx);
}

template SolverResult<float> pdhg_on_samples<float>(const Problem<float>&, const ScaledProblem<float>&,
                                                    const SolverOptions<float>&, SolverRun<float>&, Context&);
template SolverResult<double> pdhg_on_samples<double>(const Problem<double>&, const ScaledProblem<double>&,
                                                      const SolverOptions<double>&, SolverRun<double>&,
                                                      Context&);

}  // namespace larmor::detail
