#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/cuda/fft.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/core/math/line_pass.hpp>
#include <larmor/core/parallel.hpp>

#include <dlfcn.h>
#include <fftw3.h>

#include <cmath>
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
  static constexpr const char* threaded[] = {"libfftw3f_threads.so.3", "libfftw3f_omp.so.3"};
  static constexpr const char* planner_threads = "fftwf_planner_nthreads";
  static constexpr const char* plan_with_threads = "fftwf_plan_with_nthreads";
};
template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto plan_many = fftw_plan_many_dft;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto execute = fftw_execute_dft;
  static constexpr const char* threaded[] = {"libfftw3_threads.so.3", "libfftw3_omp.so.3"};
  static constexpr const char* planner_threads = "fftw_planner_nthreads";
  static constexpr const char* plan_with_threads = "fftw_plan_with_nthreads";
};

// FFTW has one planner per process. Other code may have set it to plan for several threads, through one of
// FFTW's threaded libraries, which Larmor does not use: while this object exists, it plans for one thread.
// Larmor transforms lines in its own threads.
template <typename T>
class PlansForOneThread {
 public:
  PlansForOneThread() {
    for (const char* name : Fftw<T>::threaded) {
      void* const library = ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
      if (library == nullptr) continue;
      const auto asked = reinterpret_cast<int (*)()>(::dlsym(library, Fftw<T>::planner_threads));
      const auto set = reinterpret_cast<void (*)(int)>(::dlsym(library, Fftw<T>::plan_with_threads));
      // Setting an unchanged value would first discard all plans.
      if (asked != nullptr && set != nullptr && asked() > 1) {
        before_.push_back({set, asked()});
        set(1);
      }
      ::dlclose(library);
    }
  }
  ~PlansForOneThread() {
    for (const auto& [set, threads] : before_) set(threads);
  }
  PlansForOneThread(const PlansForOneThread&) = delete;
  PlansForOneThread& operator=(const PlansForOneThread&) = delete;

 private:
  struct Before {
    void (*set)(int);
    int threads;
  };
  std::vector<Before> before_;
};

template <typename T>
std::shared_ptr<const void> line_plan(Index length, Index lines, FftSign sign) {
  using Key = std::tuple<Index, Index, FftSign>;
  static std::map<Key, std::shared_ptr<const void>> cache;
  const std::lock_guard lock(planner_mutex);
  auto& entry = cache[Key{length, lines, sign}];
  if (!entry) {
    const PlansForOneThread<T> guard;
    Array<std::complex<T>> in({lines, length}), out({lines, length});
    const int n = static_cast<int>(length);
    const auto data = [](auto& array) { return reinterpret_cast<typename Fftw<T>::Complex*>(array.data()); };
    auto plan =
        Fftw<T>::plan_many(1, &n, static_cast<int>(lines), data(in), nullptr, 1, n, data(out), nullptr, 1, n,
                           static_cast<int>(sign), FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
    if (!plan) throw internal_error("FFTW could not plan {} lines of length {}", lines, length);
    entry = std::shared_ptr<const void>(static_cast<const void*>(plan), [](const void* p) {
      Fftw<T>::destroy(static_cast<typename Fftw<T>::Plan>(const_cast<void*>(p)));
    });
  }
  return entry;
}

template <typename T>
struct FftState {
  struct Axis {
    Index inner;
    LinePass<T> lines;
  };
  std::vector<Axis> axes;
  Index buffer_size = 0;
};

}  // namespace

template <typename T>
LineFft<T>::LineFft(Index length, Index lines, FftSign sign)
    : length_(length), lines_(lines), plan_(line_plan<T>(length, lines, sign)) {}

template <typename T>
void LineFft<T>::execute(const std::complex<T>* in, std::complex<T>* out) const {
  auto* from = reinterpret_cast<typename Fftw<T>::Complex*>(const_cast<std::complex<T>*>(in));
  auto* to = reinterpret_cast<typename Fftw<T>::Complex*>(out);
  Fftw<T>::execute(static_cast<typename Fftw<T>::Plan>(const_cast<void*>(plan_.get())), from, to);
}

template <typename T>
FftPlan<T>::FftPlan(const Shape& shape, int rank) : shape_(shape), rank_(rank) {
  if (rank < 1 || rank > shape.rank())
    throw usage_error("FftPlan: {} transformed axes of an array of shape {}", rank, shape.to_string());
  auto state = std::make_shared<FftState<T>>();
  Index inner = 1;
  for (int axis = shape.rank() - 1; axis >= shape.rank() - rank; --axis) {
    const Index length = shape[axis];
    if (length > 1 && shape.size() > 0) {
      state->axes.push_back({inner, LinePass<T>(length, length, 0, inner)});
      state->buffer_size = std::max(state->buffer_size, state->axes.back().lines.buffer_size());
    }
    inner *= length;
  }
  state_ = state;
}

namespace {

// cuFFT's plan for the last `rank` axes of a shape.
template <typename T>
std::shared_ptr<const cuda::Transform> device_transform(const Shape& shape, int rank, const Context& ctx) {
  if constexpr (cuda::built) {
    std::array<long long, Shape::max_rank> lengths{};
    long long batch = 1;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const int transformed = axis - (shape.rank() - rank);
      if (transformed >= 0)
        lengths[static_cast<std::size_t>(transformed)] = shape[axis];
      else
        batch *= shape[axis];
    }
    return cuda::Transform::get(lengths.data(), rank, batch, sizeof(T) == 8, ctx.device().ordinal);
  }
  throw internal_error("a transform on {} needs a build with CUDA", ctx.device().to_string());
}

}  // namespace

template <typename T>
std::size_t FftPlan<T>::scratch_bytes(const Context& ctx) const {
  if (ctx.on_gpu())
    return shape_.size() > 0 ? Arena::rounded(device_transform<T>(shape_, rank_, ctx)->work_bytes()) : 0;
  const auto& state = *static_cast<const FftState<T>*>(state_.get());
  return Scratch::bytes<std::complex<T>>({ctx.threads(), 2, state.buffer_size});
}

template <typename T>
void FftPlan<T>::execute(View<std::complex<T>> data, FftSign sign, Context& ctx) const {
  if (!(data.shape() == shape_))
    throw usage_error("FftPlan: data of shape {}, planned for {}", data.shape().to_string(),
                      shape_.to_string());
  if (ctx.on_gpu()) {
    if (data.size() == 0) return;
    const auto transform = device_transform<T>(shape_, rank_, ctx);
    Scratch scratch(ctx);
    auto work = scratch.take<std::byte>({static_cast<Index>(transform->work_bytes())});
    transform->execute(data.data(), work.data(), sign == FftSign::forward ? -1 : 1, ctx.stream());
    return;
  }
  const auto& state = *static_cast<const FftState<T>*>(state_.get());
  Scratch scratch(ctx);
  auto buffers = scratch.take<std::complex<T>>({ctx.threads(), 2, state.buffer_size});
  for (const auto& [inner, lines] : state.axes) {
    const Index blocks = lines.blocks(), outer = data.size() / (lines.length() * inner);
    parallel_for(ctx, outer * blocks, 8,
                 [&, inner = inner, &lines = lines](Index begin, Index end, int thread) {
                   std::complex<T>* in = buffers.slice(thread).data();
                   std::complex<T>* out = in + state.buffer_size;
                   for (Index task = begin; task < end; ++task) {
                     const Index block = task % blocks, count = lines.count(block);
                     std::complex<T>* array =
                         data.data() + task / blocks * lines.length() * inner + lines.first(block);
                     lines.gather(array, inner, count, in);
                     lines.transform(in, out, count, sign);
                     lines.scatter(out, inner, count, array);
                   }
                 });
  }
}

template class LineFft<float>;
template class LineFft<double>;
template class FftPlan<float>;
template class FftPlan<double>;

Index fast_fft_size(Index n) {
  if (n <= 1) return 1;
  // Measured with FFTW 3.3.10 on AVX-512 and AVX2 processors: estimated plans are about twice as fast at
  // lengths that its largest codelets divide.
  const auto quick = [](Index size) {
    Index odd = size;
    while (odd % 2 == 0) odd /= 2;
    if (size % 16 != 0) return false;
    return odd == 1 || (odd == 5 && size <= 640) ||
           (size <= 400 && (odd == 3 || odd == 9 || odd == 15 || odd == 25) && size != 288 && size != 360);
  };
  // Products of the primes, instead of testing all lengths: grids in one dimension have millions of cells.
  const Index most = n + n / 5;
  Index best = 0, smallest = 0;
  double best_cost = 0;
  const auto consider = [&](Index size) {
    const double length = static_cast<double>(size);
    const double cost = length * std::log2(length) * (quick(size) ? 1 : 2);
    if (best == 0 || cost < best_cost || (cost == best_cost && size < best)) best = size, best_cost = cost;
  };
  for (Index sevens = 1; sevens <= 2 * n; sevens *= 7)
    for (Index fives = sevens; fives <= 2 * n; fives *= 5)
      for (Index threes = fives; threes <= 2 * n; threes *= 3) {
        Index size = 2 * threes;
        while (size < n) size *= 2;
        if (smallest == 0 || size < smallest) smallest = size;
        for (; size <= most; size *= 2) consider(size);
      }
  if (best == 0) return smallest;
  return best;
}

}  // namespace larmor
