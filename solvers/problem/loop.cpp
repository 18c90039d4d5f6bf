#include <larmor/solvers/problem/loop.hpp>

#include <larmor/core/format_error.hpp>
#include <larmor/operators/basic.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace larmor::detail {
namespace {

// Iterates are compared with earlier ones at iteration numbers that grow by this factor.
constexpr double growth = 1.2;
constexpr Index first_mark = 4;
// A decrease between marks that is slower than this counts as none.
constexpr double slowest = 0.95;
// A movement above this part of the one before does not decrease.
constexpr double level = 0.95;
// Cosine of the angle between successive movements. Iterates that wander turn back as often as they go on:
// above the first value they move steadily, above the second they follow one slow path.
constexpr double wandering = 0.25, on_the_way = 0.5;
// Iterates of varying functions never settle: they count as converged if after this many iterations they
// wander and their movements no longer decrease.
constexpr Index least_before_rest = 20;
// After a restart this many consecutive marks must find the iterate close.
constexpr Index sure = 3;
// Upper limit of a reported number of needed iterations.
constexpr double most_marks = 20;

Index after(Index mark) {
  return static_cast<Index>(std::ceil(growth * static_cast<double>(mark)));
}

}  // namespace

template <typename T>
SolverRun<T>::SolverRun(std::string name, Index iterations, double tolerance, const SolverHooks<T>& hooks,
                        Context& ctx, double distance)
    : name_(std::move(name)),
      iterations_(iterations),
      tolerance_(tolerance),
      distance_(distance),
      hooks_(hooks),
      ctx_(ctx),
      next_mark_(first_mark) {
  if (iterations < 0) throw usage_error("{}: {} iterations, expected 0 or more", name_, iterations);
  if (!(tolerance >= 0)) throw usage_error("{}: tolerance {}, expected 0 or more", name_, tolerance);
  if (!(distance >= 0)) throw usage_error("{}: distance {}, expected 0 or more", name_, distance);
  constexpr Index foreseen = 1000;  // larger maximum numbers are usual if another criterion ends the run
  result.history.reserve(static_cast<std::size_t>(std::min(iterations, foreseen)));
  if (hooks.resume && hooks.resume->solver != name_)
    throw input_error(
        "{}: the checkpoint was written by solver '{}'; continue with that, or start from the beginning",
        name_, hooks.resume->solver);
}

template <typename T>
double SolverRun<T>::resumed_scalar(std::size_t index) const {
  const auto& scalars = hooks_.resume->scalars;
  if (index >= scalars.size())
    throw input_error("{}: the checkpoint holds {} numbers, expected more; it is damaged", name_,
                      scalars.size());
  return scalars[index];
}

template <typename T>
Index SolverRun<T>::restore(const std::vector<View<C>>& vectors) {
  const auto& saved = hooks_.resume->vectors;
  const std::size_t marks = step_.empty() ? 1 : 2;
  const bool marked = distance_ > 0 && saved.size() == vectors.size() + marks;
  if (!marked && saved.size() != vectors.size())
    throw input_error(
        "{}: the checkpoint holds {} vectors, expected {}; it belongs to another problem or is damaged",
        name_, saved.size(), vectors.size());
  if (marked) {
    const std::size_t numbers = hooks_.resume->scalars.size();
    mark_ = moved_to(ctx_.device(), clone(saved[vectors.size()]));
    if (marks > 1) step_ = moved_to(ctx_.device(), clone(saved.back()));
    marked_ = true;
    restarted_ = resumed_scalar(numbers - 5) > 0;
    near_ = static_cast<Index>(resumed_scalar(numbers - 4));
    next_mark_ = static_cast<Index>(resumed_scalar(numbers - 3));
    moved_ = resumed_scalar(numbers - 2);
    moved_before_ = resumed_scalar(numbers - 1);
  }
  std::size_t i = 0;
  for (const View<C>& vector : vectors) {
    const Array<C>& from = saved[i++];
    if (from.size() != vector.size())
      throw input_error(
          "{}: vector {} of the checkpoint has {} elements, expected {}; it belongs to another problem",
          name_, i - 1, from.size(), vector.size());
    copy_bytes(vector.data(), vector.device(), from.data(), from.device(), from.view().bytes());
  }
  return hooks_.resume->iteration;
}

template <typename T>
void SolverRun<T>::reserve(const Shape& image, bool directions, View<const C> rhs) {
  if (distance_ == 0) return;
  mark_ = Array<C>(image, ctx_.device());
  Array<C> seen = copied_to(Device::cpu(), rhs);
  const auto is_zero = [](const C& value) { return value == C(0); };
  if (std::any_of(seen.begin(), seen.end(), is_zero)) {
    for (C& value : seen) value = is_zero(value) ? T(0) : T(1);
    seen_ = Diagonal<T>(moved_to(ctx_.device(), std::move(seen)));
    counted_ = Array<C>(image, ctx_.device());
  }
  if (!directions) return;
  step_ = Array<C>(image, ctx_.device());
  fill<T>(step_, 0, ctx_);
}

// The cosine of the angle between the movement in mark_, with this energy, and the previous one, which it
// replaces.
template <typename T>
double SolverRun<T>::along_last_step(double energy) {
  if (step_.empty()) return 0;
  const auto [before, product] = dots<T>({{step_, step_}, {step_, mark_}}, ctx_);
  std::swap(step_, mark_);
  const double sizes = std::sqrt(before.real() * energy);
  return sizes > 0 ? product.real() / sizes : 0;
}

// Between marks whose iteration numbers grow by a factor, both geometric and algebraic convergence are
// visible: the distance left after the last mark is at most the sum of a geometric series of the movements.
template <typename T>
bool SolverRun<T>::is_near(Index iteration, View<const C> x) {
  if (distance_ == 0 || iteration < next_mark_) return false;
  next_mark_ = after(iteration);
  if (!std::exchange(marked_, true)) {
    copy<T>(x, mark_, ctx_);
    return false;
  }
  axpy<T>(-1, x, mark_, ctx_);
  if (seen_) {
    seen_.apply(mark_, counted_, ctx_);
    mark_.swap(counted_);
  }
  const auto [mm, xx] = dots<T>({{mark_, mark_}, {x, x}}, ctx_);
  const double onward = along_last_step(mm.real());
  copy<T>(x, mark_, ctx_);
  const double earlier = std::exchange(moved_before_, moved_);
  moved_ = xx.real() > 0 ? std::sqrt(mm.real() / xx.real()) : 0;
  if (!(earlier > 0)) return false;
  // Over two marks, because iterates oscillate.
  const double rate = std::clamp(std::sqrt(moved_ / earlier), 0.0, slowest);
  result.distance = moved_ * rate / (1 - rate);
  result.missing_iterations = 0;
  const bool falls = moved_ <= level * earlier;
  if (result.distance <= distance_ && (falls || onward < on_the_way)) {
    if (!restarted_ || ++near_ == sure) return true;
  } else {
    near_ = 0;
  }
  if (varies && iteration >= least_before_rest && !falls && onward < wandering) {
    result.distance = moved_;
    return true;
  }
  const double marks = std::log(result.distance / distance_) / -std::log(rate);
  result.missing_iterations = static_cast<Index>(
      std::ceil(static_cast<double>(iteration) * (std::pow(growth, std::min(marks, most_marks)) - 1)));
  return false;
}

template <typename T>
bool SolverRun<T>::record(const SolverStep& step, View<const C> x, const Shape& image, double to_image) {
  result.history.push_back(step);
  ctx_.reporter().progress(
      name_, step.iteration, iterations_,
      step.constraint > 0 ? fmt::format("gradient {:.2e} constraint {:.2e}", step.gradient, step.constraint)
                          : fmt::format("gradient {:.2e}", step.gradient));
  if (hooks_.step) {
    View<const C> seen(x.data(), image, x.device());
    if (to_image != 1) {
      if (image_.empty()) image_ = Array<C>(image, ctx_.device());
      combine<T>({{to_image, seen}}, image_, ctx_);
      seen = image_;
    }
    if (hooks_.step(step, seen)) {
      result.stop_reason = StopReason::asked;
      return true;
    }
  }
  if (tolerance_ > 0 && step.gradient <= tolerance_ && step.constraint <= tolerance_) {
    result.stop_reason = StopReason::tolerance;
    return true;
  }
  if (is_near(step.iteration, x)) {
    result.stop_reason = StopReason::distance;
    return true;
  }
  return false;
}

template <typename T>
void SolverRun<T>::checkpoint(Index iteration, const std::vector<View<const C>>& vectors,
                              const std::vector<double>& scalars) const {
  Checkpoint<T> taken;
  taken.solver = name_;
  taken.iteration = iteration;
  for (const View<const C>& vector : vectors) taken.vectors.push_back(copied_to(Device::cpu(), vector));
  taken.scalars = scalars;
  if (marked_) {
    taken.vectors.push_back(copied_to(Device::cpu(), mark_));
    if (!step_.empty()) taken.vectors.push_back(copied_to(Device::cpu(), step_));
    taken.scalars.insert(taken.scalars.end(), {restarted_ ? 1.0 : 0.0, static_cast<double>(near_),
                                               static_cast<double>(next_mark_), moved_, moved_before_});
  }
  hooks_.checkpoint(std::move(taken));
}

template class SolverRun<float>;
template class SolverRun<double>;

}  // namespace larmor::detail
