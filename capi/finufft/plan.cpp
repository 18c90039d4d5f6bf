#include <larmor/capi/finufft/plan.hpp>
#include <larmor/core/error.hpp>
#include <larmor/core/parallel.hpp>

#include <algorithm>
#include <map>
#include <new>
#include <numbers>

namespace larmor::finufft {
namespace {

constexpr double most_points = 1e14;
constexpr double loosest_tolerance = 0.1;
constexpr double least_oversampling = 1.15, most_oversampling = 2.5;
// Steps in which a tolerance that is out of reach is loosened, how far at most, and how far FINUFFT's own
// tests let errors exceed it.
constexpr double loosening = 1.25, most_loosened = 1e3, unnoticed_loosening = 4;
// What FINUFFT's options may hold.
constexpr int last_spread_thread = 2, last_formula = 8;

/// The smallest tolerance that is promised.
template <typename T>
constexpr double tightest_tolerance = sizeof(T) == 4 ? 1e-6 : 1e-12;

void check(const finufft_opts& options) {
  if (options.spreadinterponly != 0) throw bad_argument;
  if (options.modeord != 0 && options.modeord != 1) throw bad_argument;
  if (options.nthreads < 0) throw bad_threads;
  if (options.spread_thread < 0 || options.spread_thread > last_spread_thread) throw bad_spread_thread;
  if (options.spread_kerformula < 0 || options.spread_kerformula > last_formula) throw bad_formula;
  if ((options.fftw_lock_fun == nullptr) != (options.fftw_unlock_fun == nullptr)) throw one_lock;
  if (options.upsampfac != 0 && !(options.upsampfac > 1)) throw bad_upsampling;
}

}  // namespace

finufft_opts default_options() {
  finufft_opts options{};
  options.showwarn = 1;
  options.fftw = 64;  // FFTW_ESTIMATE
  options.spread_sort = 2;
  options.spread_kerevalmeth = 1;
  options.spread_kerpad = 1;
  options.spread_nthr_atomic = -1;
  return options;
}

Workshop& workshop(int threads) {
  static std::mutex mutex;
  // Kept to the end of the process: plans may be destroyed after everything else.
  static auto& workshops = *new std::map<int, std::unique_ptr<Workshop>>;
  const std::lock_guard lock(mutex);
  auto& found = workshops[threads];
  if (!found) found = std::make_unique<Workshop>(threads);
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
Plan<T>::Plan(int type, int dim, const std::int64_t* modes, int iflag, int count, double tolerance,
              const finufft_opts& options, bool adjoint)
    : type_(type), dim_(dim), count_(count), workshop_((check(options), workshop(options.nthreads))) {
  if (type < 1 || type > 3) throw bad_type;
  if (dim < 1 || dim > 3) throw bad_dimension;
  if (count < 1) throw bad_count;
  if (type != 3 && modes == nullptr) throw bad_argument;
  if (!(tolerance >= tightest_tolerance<T>)) code_ = tolerance_too_small;
  // x is the fastest axis, and the last extent.
  Index extents[3] = {1, 1, 1};
  for (int axis = 0; axis < dim && type != 3; ++axis) {
    extents[dim - 1 - axis] = modes[axis];
    if (modes[axis] < 0) throw bad_argument;
    if (static_cast<double>(modes[axis]) > most_points) throw too_large;
  }
  modes_ = type == 3 ? Shape() : Shape(extents, dim);
  options_.tolerance = std::clamp(tolerance, tightest_tolerance<T>, loosest_tolerance);
  options_.sign = iflag >= 0 ? 1 : -1;
  options_.order = options.modeord == 1 ? ModeOrder::fft : ModeOrder::centred;
  options_.batch = count;
  options_.adjoint = adjoint;
  if (options.upsampfac != 0)
    options_.oversampling = std::clamp(options.upsampfac, least_oversampling, most_oversampling);
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
  const auto columns = [&](const T* const* from, Index count, double scale) {
    Array<double> result({count, Index{dim_}});
    parallel_for(ctx, count, 1 << 14, [&](Index first, Index last, int /*thread*/) {
      for (Index j = first; j < last; ++j)
        for (int axis = 0; axis < dim_; ++axis)
          result[j * dim_ + axis] = scale * static_cast<double>(from[axis][j]);
    });
    return result;
  };
  constexpr double cycles = 1 / (2 * std::numbers::pi);
  points_ = points;
  frequencies_ = frequencies;
  pointless_ = points == 0 || (type_ == 3 ? frequencies == 0 : modes_.size() == 0);
  transform_.reset();
  if (pointless_) return done;
  const Array<double> k = columns(x, points, type_ == 3 ? 1 : cycles);
  const Array<double> targets = type_ == 3 ? columns(s, frequencies, cycles) : Array<double>();
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
  // An oversampling that cannot reach the tolerance was a wish; near the limits of the precision the
  // tolerance is one.
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
  if (pointless_) {
    std::fill(out, out + out_size, C(0));
    return done;
  }
  const std::lock_guard lock(workshop_.turn);
  const View<const C> from(in, {in_size});
  const View<C> to(out, {out_size});
  if (adjoint)
    transform_->execute_adjoint(from, to, workshop_.ctx);
  else
    transform_->execute(from, to, workshop_.ctx);
  return done;
}

template class Plan<float>;
template class Plan<double>;

}  // namespace larmor::finufft
