#include <larmor/solvers/problem/loop.hpp>

#include <larmor/core/format_error.hpp>

#include <algorithm>

namespace larmor::detail {

template <typename T>
SolverRun<T>::SolverRun(std::string name, Index iterations, double tolerance, const SolverHooks<T>& hooks,
                        Context& ctx)
    : name_(std::move(name)), iterations_(iterations), tolerance_(tolerance), hooks_(hooks), ctx_(ctx) {
  if (iterations < 0) throw usage_error("{}: {} iterations, expected 0 or more", name_, iterations);
  if (!(tolerance >= 0)) throw usage_error("{}: tolerance {}, expected 0 or more", name_, tolerance);
  result.stop_reason = "iterations";
  result.history.reserve(static_cast<std::size_t>(iterations));
  if (hooks.resume && hooks.resume->solver != name_)
    throw input_error("{}: the checkpoint is one of solver '{}'; go on with that, or start anew", name_,
                      hooks.resume->solver);
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
Index SolverRun<T>::restore(const std::vector<View<C>>& vectors) const {
  const auto& saved = hooks_.resume->vectors;
  if (saved.size() != vectors.size())
    throw input_error("{}: the checkpoint holds {} vectors, expected {}; it is another problem's or damaged",
                      name_, saved.size(), vectors.size());
  std::size_t i = 0;
  for (const View<C>& vector : vectors) {
    const Array<C>& from = saved[i++];
    if (from.size() != vector.size())
      throw input_error(
          "{}: vector {} of the checkpoint has {} elements, expected {}; it is another problem's", name_,
          i - 1, from.size(), vector.size());
    copy_bytes(vector.data(), vector.device(), from.data(), from.device(), from.view().bytes());
  }
  return hooks_.resume->iteration;
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
    hooks_.step(step, seen);
  }
  if (tolerance_ > 0 && step.gradient <= tolerance_ && step.constraint <= tolerance_) {
    result.stop_reason = "tolerance";
    return true;
  }
  return false;
}

template <typename T>
void SolverRun<T>::checkpoint(Index iteration, const std::vector<View<const C>>& vectors,
                              std::vector<double> scalars) const {
  Checkpoint<T> taken;
  taken.solver = name_;
  taken.iteration = iteration;
  for (const View<const C>& vector : vectors) taken.vectors.push_back(copied_to(Device::cpu(), vector));
  taken.scalars = std::move(scalars);
  hooks_.checkpoint(std::move(taken));
}

template class SolverRun<float>;
template class SolverRun<double>;

}  // namespace larmor::detail
