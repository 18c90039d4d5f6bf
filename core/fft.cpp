#include <larmor/core/fft.hpp>
#include <larmor/core/parallel.hpp>

#include <fftw3.h>

#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace larmor {
namespace {

// FFTW's planner is not thread-safe; executing a plan is.
std::mutex planner_mutex;

template <typename T>
struct Fftw;
template <>
struct Fftw<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr auto plan_many = fftwf_plan_many_dft;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto execute = fftwf_execute_dft;
};
template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto plan_many = fftw_plan_many_dft;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto execute = fftw_execute_dft;
};

template <typename T>
std::shared_ptr<const void> line_plan(Index length, Index lanes, Index stride, FftSign sign, FftEffort effort) {
  using Key = std::tuple<Index, Index, Index, FftSign, FftEffort>;
  static std::map<Key, std::shared_ptr<const void>> cache;
  const std::lock_guard lock(planner_mutex);
  auto& entry = cache[Key{length, lanes, stride, sign, effort}];
  if (!entry) {
    // Planning with FFTW_MEASURE overwrites its buffer.
    Array<std::complex<T>> buffer(Shape{length, stride});
    auto* data = reinterpret_cast<typename Fftw<T>::Complex*>(buffer.data());
    const int n = static_cast<int>(length), s = static_cast<int>(stride);
    auto plan = Fftw<T>::plan_many(1, &n, static_cast<int>(lanes), data, nullptr, s, 1, data, nullptr, s, 1,
                                   static_cast<int>(sign), effort == FftEffort::measure ? FFTW_MEASURE : FFTW_ESTIMATE);
    if (!plan) throw internal_error("FFTW made no plan for {} lines of length {}", lanes, length);
    entry = std::shared_ptr<const void>(static_cast<const void*>(plan), [](const void* p) {
      Fftw<T>::destroy(static_cast<typename Fftw<T>::Plan>(const_cast<void*>(p)));
    });
  }
  return entry;
}

// Lanes that a line pass along a slow axis carries at a time: 128 bytes of float, two cache lines.
constexpr Index pass_lanes = 16;

template <typename T>
struct FftState {
  struct Axis {
    Index length, inner;
    LineFft<T> full[2], rest[2];  // forward, backward; a full block of lanes and the remainder
  };
  std::vector<Axis> axes;
  Index longest = 1;
};

}  // namespace

template <typename T>
LineFft<T>::LineFft(Index length, Index lanes, Index stride, FftSign sign, FftEffort effort)
    : length_(length), lanes_(lanes), plan_(line_plan<T>(length, lanes, stride, sign, effort)) {}

template <typename T>
void LineFft<T>::execute(std::complex<T>* line) const {
  auto* data = reinterpret_cast<typename Fftw<T>::Complex*>(line);
  Fftw<T>::execute(static_cast<typename Fftw<T>::Plan>(const_cast<void*>(plan_.get())), data, data);
}

template <typename T>
FftPlan<T>::FftPlan(const Shape& shape, int rank, FftEffort effort) : shape_(shape), rank_(rank) {
  if (rank < 1 || rank > shape.rank())
    throw internal_error("FftPlan: {} transformed axes of an array of shape {}", rank, shape.to_string());
  auto state = std::make_shared<FftState<T>>();
  Index inner = 1;
  for (int axis = shape.rank() - 1; axis >= shape.rank() - rank; --axis) {
    const Index length = shape[axis];
    if (length > 1 && shape.size() > 0) {
      typename FftState<T>::Axis entry{length, inner, {}, {}};
      const Index lanes = std::min(inner, pass_lanes), rest = inner % lanes;
      for (int s = 0; s < 2; ++s) {
        const FftSign sign = s == 0 ? FftSign::forward : FftSign::backward;
        entry.full[s] = LineFft<T>(length, lanes, lanes, sign, effort);
        if (rest > 0) entry.rest[s] = LineFft<T>(length, rest, rest, sign, effort);
      }
      state->axes.push_back(std::move(entry));
      state->longest = std::max(state->longest, length);
    }
    inner *= length;
  }
  state_ = state;
}

template <typename T>
std::size_t FftPlan<T>::scratch_bytes(const Context& ctx) const {
  const auto& state = *static_cast<const FftState<T>*>(state_.get());
  return Scratch::bytes<std::complex<T>>({ctx.threads(), state.longest * pass_lanes});
}

template <typename T>
void FftPlan<T>::execute(View<std::complex<T>> data, FftSign sign, Context& ctx) const {
  if (!(data.shape() == shape_))
    throw internal_error("FftPlan: data of shape {}, planned for {}", data.shape().to_string(), shape_.to_string());
  const auto& state = *static_cast<const FftState<T>*>(state_.get());
  const int s = sign == FftSign::forward ? 0 : 1;
  Scratch scratch(ctx);
  auto buffers = scratch.take<std::complex<T>>({ctx.threads(), state.longest * pass_lanes});
  for (const auto& axis : state.axes) {
    const Index lanes = std::min(axis.inner, pass_lanes);
    const Index blocks = (axis.inner + lanes - 1) / lanes;
    const Index outer = data.size() / (axis.length * axis.inner);
    parallel_for(ctx, outer * blocks, 8, [&](Index begin, Index end, int thread) {
      std::complex<T>* buffer = buffers.slice(thread).data();
      for (Index task = begin; task < end; ++task) {
        const Index first = task % blocks * lanes, count = std::min(lanes, axis.inner - first);
        std::complex<T>* line = data.data() + task / blocks * axis.length * axis.inner + first;
        for (Index i = 0; i < axis.length; ++i)
          std::copy_n(line + i * axis.inner, count, buffer + i * count);
        (count == lanes ? axis.full[s] : axis.rest[s]).execute(buffer);
        for (Index i = 0; i < axis.length; ++i)
          std::copy_n(buffer + i * count, count, line + i * axis.inner);
      }
    });
  }
}

template class LineFft<float>;
template class LineFft<double>;
template class FftPlan<float>;
template class FftPlan<double>;

Index smooth_size(Index n) {
  if (n <= 1) return 1;
  for (Index size = n + n % 2;; size += 2) {
    Index rest = size;
    for (Index prime : {2, 3, 5, 7})
      while (rest % prime == 0) rest /= prime;
    if (rest == 1) return size;
  }
}

}  // namespace larmor
