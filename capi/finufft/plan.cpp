#include <larmor/capi/finufft/plan.hpp>
#include <larmor/core/error.hpp>
#include <larmor/core/vectors/vector_ops.hpp>

#include <algorithm>
#include <map>
#include <new>
#include <numbers>
#include <string>
#include <utility>

namespace larmor::finufft {
namespace {

constexpr double most_points = 1e14;
constexpr double loosest_tolerance = 0.1;
constexpr double least_oversampling = 1.15, most_oversampling = 2.5;
// Factors by which a tolerance that is out of reach is loosened, the largest total factor, and how far
// FINUFFT's own tests let errors exceed it.
constexpr double loosening = 1.25, most_loosened = 1e3, unnoticed_loosening = 4;

/// The smallest promised tolerance.
template <typename T>
constexpr double tightest_tolerance = sizeof(T) == 4 ? 1e-6 : 1e-14;

}  // namespace

Workshop& workshop(const Device& device, int threads) {
  static std::mutex mutex;
  // Kept until the end of the process: plans may be destroyed after everything else.
  static auto& workshops = *new std::map<std::pair<std::string, int>, std::unique_ptr<Workshop>>;
  const std::lock_guard lock(mutex);
  auto& found = workshops[{device.to_string(), threads}];
  if (!found) found = std::make_unique<Workshop>(device, threads);
  return *found;
}

int code_of_exception() noexcept {
  try {
    throw;
  } catch (const Code code) {
    return code;
  } catch (const Error& error) {
    switch (error.error_class()) {
      case ErrorClass::usage:
      case ErrorClass::input:
        return bad_argument;
      case ErrorClass::resource:
        return too_large;
      default:
        return unknown;
    }
  } catch (const std::bad_alloc&) {
    return no_memory;
  } catch (...) {
    return unknown;
  }
}

template <typename T>
Plan<T>::Plan(const PlanSetting& setting, Workshop& workshop)
    : workshop_(workshop), type_(setting.type), dim_(setting.dim), count_(setting.count) {
  if (dim_ < 1 || dim_ > 3) throw bad_dimension;
  if (type_ < 1 || type_ > 3) throw bad_type;
  if (count_ < 1) throw bad_count;
  if (type_ != 3 && setting.modes == nullptr) throw bad_argument;
  if (!(setting.tolerance >= tightest_tolerance<T>)) code_ = tolerance_too_small;
  // x is the fastest axis, and the last extent.
  Index extents[3] = {1, 1, 1};
  for (int axis = 0; axis < dim_ && type_ != 3; ++axis) {
    extents[dim_ - 1 - axis] = setting.modes[axis];
    if (setting.modes[axis] < 0) throw bad_argument;
    if (static_cast<double>(setting.modes[axis]) > most_points) throw too_large;
  }
  modes_ = type_ == 3 ? Shape() : Shape(extents, dim_);
  options_.tolerance = std::clamp(setting.tolerance, tightest_tolerance<T>, loosest_tolerance);
  options_.sign = setting.iflag >= 0 ? 1 : -1;
  options_.order = setting.fft_order ? ModeOrder::fft : ModeOrder::centred;
  options_.batch = count_;
  options_.adjoint = setting.adjoint;
  if (setting.oversampling != 0)
    options_.oversampling = std::clamp(setting.oversampling, least_oversampling, most_oversampling);
}

template <typename T>
int Plan<T>::set_points(std::int64_t points, const T* const* x, std::int64_t frequencies, const T* const* s) {
  if (points < 0 || static_cast<double>(points) > most_points) return bad_points;
  if (type_ == 3 && (frequencies < 0 || static_cast<double>(frequencies) > most_points)) return bad_points;
  for (int axis = 0; axis < dim_; ++axis)
    if ((points > 0 && x[axis] == nullptr) || (type_ == 3 && frequencies > 0 && s[axis] == nullptr))
      return bad_argument;
  const std::lock_guard lock(workshop_.turn);
  Context& ctx = workshop_.ctx;
  Array<T> fetched[2][3];
  const auto columns = [&](const T* const* from, Index count, double scale, Array<T>* copies) {
    PointColumns<T> result{{}, count, dim_, scale};
    for (int axis = 0; axis < dim_; ++axis) {
      const View<const T> there(from[axis], {count}, ctx.device());
      if (ctx.on_gpu()) copies[axis] = copied_to(Device::cpu(), there);
      result.axes[axis] = ctx.on_gpu() ? copies[axis].data() : from[axis];
    }
    return result;
  };
  constexpr double cycles = 1 / (2 * std::numbers::pi);
  points_ = points;
  frequencies_ = frequencies;
  pointless_ = points == 0 || (type_ == 3 ? frequencies == 0 : modes_.size() == 0);
  transform_.reset();
  if (pointless_) return done;
  const PointColumns<T> k = columns(x, points, type_ == 3 ? 1 : cycles, fetched[0]);
  const auto targets = type_ == 3 ? columns(s, frequencies, cycles, fetched[1]) : PointColumns<T>{};
  const auto try_with = [&](double oversampling, double looser) {
    TransformOptions options = options_;
    options.oversampling = oversampling;
    options.tolerance *= looser;
    try {
      transform_.emplace(type_ == 3 ? Transform<T>(options)
                                    : Transform<T>(static_cast<TransformType>(type_), modes_, options));
      type_ == 3 ? transform_->set_points(k, targets, ctx) : transform_->set_points(k, ctx);
      return true;
    } catch (const Error& error) {
      if (error.error_class() != ErrorClass::usage || looser > most_loosened) throw;
      return false;
    }
  };
  // An oversampling that cannot reach the tolerance is ignored; so is a tolerance near the limits of the
  // precision.
  if (options_.oversampling != 0 && try_with(options_.oversampling, 1)) return done;
  double looser = 1;
  while (!try_with(0, looser)) looser *= loosening;
  return looser <= unnoticed_loosening ? done : tolerance_too_small;
}

template <typename T>
int Plan<T>::execute(C* c, C* f, bool adjoint) {
  if (points_ < 0) return no_plan;
  const Index values = points_ * count_;
  const Index others = (type_ == 3 ? frequencies_ : modes_.size()) * count_;
  const bool to_points = (type_ == 2) != adjoint;
  C *in = to_points ? f : c, *out = to_points ? c : f;
  const Index in_size = to_points ? others : values, out_size = to_points ? values : others;
  if ((in_size > 0 && in == nullptr) || (out_size > 0 && out == nullptr)) return bad_argument;
  const std::lock_guard lock(workshop_.turn);
  Context& ctx = workshop_.ctx;
  const View<const C> from(in, {in_size}, ctx.device());
  const View<C> to(out, {out_size}, ctx.device());
  if (pointless_)
    fill<T>(to, 0, ctx);
  else if (adjoint)
    transform_->execute_adjoint(from, to, ctx);
  else
    transform_->execute(from, to, ctx);
  return done;
}

template class Plan<float>;
template class Plan<double>;

}  // namespace larmor::finufft
