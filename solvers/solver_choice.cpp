#include <larmor/operators/algebra.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/transforms/gradient.hpp>
#include <larmor/solvers/methods/circulant_preconditioner.hpp>
#include <larmor/solvers/methods/fista.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>
#include <larmor/solvers/solve.hpp>
#include <larmor/solvers/solver_choice.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace LARMOR_API larmor {
namespace {

// Mean eigenvalue, relative to the largest one, below which ADMM is nearer to the minimum in the same time.
constexpr double ill_conditioned = 0.1;
// ρ relative to λ, for wavelets and for gradients, so that the threshold λ/ρ is a part of the image's largest
// value: see size_of_data(). Gradients grow less with it: ρ by its root takes the fewest iterations. Relative
// to the mean eigenvalue at least; by so much it may be off before another one is taken.
constexpr double relative_rho = 5, least_rho = 0.01, far_rho = 2;
constexpr double relative_rho_of_gradients = 24, least_rho_of_gradients = 0.3;
// Data that are smaller relative to the image are rounding.
constexpr double least_size = 1e-6;
// How well its linear systems are solved.
constexpr double inner_tolerance = 0.1;
constexpr Index inner_iterations = 4;
// The same of gradients, whose iterates wander about where the systems are solved less well.
constexpr Index inner_iterations_of_gradients = 8;
// They stand still for a while before they are there: nearer to the minimum is asked for.
constexpr double nearer = 0.5;
// Iterations with other shifts each, after those with fixed ones: twice as many gain little more.
constexpr Index with_other_shifts = 20;

/// The pixels that AᴴA does not map to zero: the mean eigenvalue there, what part of all they are, and 1 for
/// each of them, 0 for others.
template <typename T>
struct Seen {
  double mean = 0, part = 0;
  Array<std::complex<T>> pixels;
};

// 1 over the image's largest value in the scaled problem, if it is the best multiple of Aᴴy; at most 1, and a
// power of 2, so that it is the same for data that hardly differ.
template <typename T>
double size_of_data(const Problem<T>& problem, Context& ctx) {
  const double data = squared_norm<T>(problem.rhs, ctx);
  if (!(data > 0)) return 1;
  const auto again = problem.normal.apply(problem.rhs, ctx);
  const double smaller = dot<T>(problem.rhs, again, ctx).real() / (data * problem.norm_squared);
  const double scale = problem.scale > 0 ? problem.scale / max_magnitude<T>(problem.rhs, ctx) : 1;
  return std::exp2(std::round(std::log2(std::clamp(smaller * scale, least_size, 1.0))));
}

// From one vector of random signs (Hutchinson 1990), always the same.
template <typename T>
Seen<T> seen_by(const LinearOperator<T>& normal, Context& ctx) {
  using C = std::complex<T>;
  Seen<T> seen;
  Array<C> signs(normal.domain());
  std::mt19937 generator(19900101);
  for (C& sign : signs) sign = (generator() & 1U) != 0 ? C(1) : C(-1);
  const Array<C> probe = moved_to(ctx.device(), std::move(signs)), image = normal.apply(probe, ctx);
  seen.pixels = copied_to(Device::cpu(), image);
  for (C& value : seen.pixels) value = value == C(0) ? T(0) : T(1);
  const double pixels = squared_norm<T>(copied_to(ctx.device(), seen.pixels), ctx);
  seen.part = pixels / squared_norm<T>(probe, ctx);
  seen.mean = pixels > 0 ? dot<T>(probe, image, ctx).real() / pixels : 0;
  return seen;
}

// (AᴴA + ρ‖A‖²)⁻¹ nearly, over the seen part of the pixels: there circulant, elsewhere exact. A circulant
// operator alone would let both parts disturb each other.
template <typename T>
Operator<T> preconditioner_within(const Seen<T>& seen, const LinearOperator<T>& normal, int rank, double rho,
                                  double norm_squared, Context& ctx) {
  using C = std::complex<T>;
  Operator<T> circulant = circulant_preconditioner<T>(
      normal, rank, {.lambda = rho * seen.part, .norm_squared = norm_squared, .floor = 0.1 * rho * seen.part},
      ctx);
  if (seen.part == 1) return circulant;
  Array<C> others(seen.pixels.shape());
  for (Index i = 0; i < others.size(); ++i)
    others[i] = seen.pixels[i] == C(0) ? static_cast<T>(1 / (rho * seen.part * norm_squared)) : T(0);
  const Diagonal<T> inside(copied_to(ctx.device(), seen.pixels)),
      outside(moved_to(ctx.device(), std::move(others)));
  return inside * circulant * inside + outside;
}

// (AᴴA + ρ‖A‖² WᴴW/‖W‖²)⁻¹ nearly, a little more being added for what neither of them sees.
template <typename T>
Operator<T> preconditioner_with(const Regularizer<T>& term, const LinearOperator<T>& normal, int rank,
                                double rho, double norm_squared, Context& ctx) {
  constexpr double least = 1e-3, floor = 0.02;
  const Operator<T> gradient = term.transform.normal(ctx);
  return circulant_preconditioner<T>(
      normal + (rho * norm_squared / term.transform_norm_squared) * gradient, rank,
      {.lambda = least * rho, .norm_squared = norm_squared, .floor = floor * rho}, ctx);
}

// Whether W is the gradient along all axes of space, so that WᴴW is nearly circulant there.
template <typename T>
bool is_gradient_in_space(const Regularizer<T>& term, int rank) {
  const Operator<T>& W = term.transform;
  return W && dynamic_cast<const Gradient<T>*>(&W.held()) && W.codomain().size() == rank * W.domain().size();
}

// The one term that is not quadratic; null: there are none, or several.
template <typename T>
Regularizer<T>* single_term(Problem<T>& problem) {
  Regularizer<T>* single = nullptr;
  for (Regularizer<T>& term : problem.regularizers) {
    if (term.quadratic || term.lambda == 0) continue;
    if (single) return nullptr;
    single = &term;
  }
  return single;
}

}  // namespace

template <typename T>
Solver SolverChoice<T>::prepare(Problem<T>& problem, SolverOptions<T>& options, Context& ctx) {
  const Solver usual = automatic_solver<T>(problem, ctx);
  Regularizer<T>* const term = single_term(problem);
  if (!term) return usual;
  auto fixed = usual == Solver::fista ? with_fixed_shifts(*term) : std::nullopt;
  const bool gradient = usual == Solver::admm && is_gradient_in_space(*term, rank_);
  if (!fixed && !gradient) return usual;
  if (!(problem.norm_squared > 0)) problem.norm_squared = largest_eigenvalue<T>(problem.normal, ctx);
  std::optional<Seen<T>> seen;
  if (!(mean_ > 0) || (gradient && !preconditioner_))
    mean_ = seen.emplace(seen_by<T>(problem.normal, ctx)).mean / problem.norm_squared;
  if (!(mean_ > 0 && mean_ < ill_conditioned)) return usual;
  // Differences alone tell of pixels that no coil sees: these would take what is at the border of the others.
  if (gradient && seen && seen->part < 1) return usual;
  if (!std::exchange(same_data_, true)) {
    const double size = size_of_data(problem, ctx);
    if (std::exchange(size_, size) != size) preconditioner_ = {};
  }
  const double rho = gradient ? std::max(relative_rho_of_gradients * std::sqrt(size_) * term->lambda,
                                         least_rho_of_gradients * mean_)
                              : std::max(relative_rho * size_ * term->lambda, least_rho * mean_);
  if (!preconditioner_ || rho > far_rho * rho_ || far_rho * rho < rho_) {
    rho_ = rho;
    if (gradient) {
      preconditioner_ = preconditioner_with<T>(*term, problem.normal, rank_, rho_, problem.norm_squared, ctx);
    } else {
      if (!seen) seen = seen_by<T>(problem.normal, ctx);
      preconditioner_ =
          preconditioner_within<T>(*seen, problem.normal, rank_, rho_, problem.norm_squared, ctx);
    }
  }
  options.rho = rho_;
  options.preconditioner = preconditioner_;
  options.balance = false;
  options.inner_iterations = gradient ? inner_iterations_of_gradients : inner_iterations;
  options.inner_tolerance = inner_tolerance;
  if (gradient) options.distance *= nearer;
  if (fixed) *term = std::move(*fixed);
  return Solver::admm;
}

template <typename T>
void SolverChoice<T>::finish(const Problem<T>& problem, Index iterations, SolverResult<T>& result,
                             Context& ctx) {
  Problem<T> same = problem;
  const Regularizer<T>* const term = single_term(same);
  const auto done = static_cast<Index>(result.history.size());
  SolverOptions<T> options;
  options.iterations = std::min(with_other_shifts, iterations - done);
  if (!term || !term->function->varies() || options.iterations <= 0) return;
  same.norm_squared = result.operator_norm_squared;
  same.scale = result.scale;
  options.start = SharedArray<std::complex<T>>(std::move(result.x));
  SolverResult<T> further = fista(same, options, ctx);
  result.x = std::move(further.x);
  result.normal_applies += further.normal_applies;
  for (SolverStep step : further.history) {
    step.iteration += done;
    result.history.push_back(step);
  }
}

template class SolverChoice<float>;
template class SolverChoice<double>;

}  // namespace larmor
