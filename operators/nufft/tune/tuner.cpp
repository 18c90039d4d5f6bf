#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/operators/nufft/plan/cost_model.hpp>
#include <larmor/operators/nufft/tune/alternating_times.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>

namespace LARMOR_API larmor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double least_oversampling = 1.15, most_oversampling = 2.5, oversampling_step = 0.025;
// Distance of the candidates that are measured first.
constexpr std::size_t first_stride = 8;
constexpr int repeats = 3;
// Candidates that are measured again, alternately with the default; their share of the time limit; and the
// fraction of the default's time that a candidate must stay below, because smaller gains are noise.
constexpr std::size_t finalists = 4;
constexpr double final_share = 0.25, least_gain = 0.98;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The smallest of several times, in milliseconds.
template <typename Apply>
double least_ms(int times, Context& ctx, const Apply& apply) {
  apply();  // tables and pages are touched for the first time
  ctx.synchronize();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    const auto start = Clock::now();
    apply();
    ctx.synchronize();
    least = std::min(least, 1e3 * seconds_since(start));
  }
  return std::max(least, 1e-6);
}

// FNV-1a over the bits of all coordinates.
std::uint64_t fingerprint(View<const double> trajectory) {
  const auto host = trajectory.device().on_gpu() ? copied_to(Device::cpu(), trajectory) : Array<double>();
  const double* values = host.empty() ? trajectory.data() : host.data();
  std::uint64_t hash = 14695981039346656037ULL;
  for (Index i = 0; i < trajectory.size(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, values + i, sizeof bits);
    hash = (hash ^ bits) * 1099511628211ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

template <typename T>
class Tuning {
 public:
  using C = std::complex<T>;

  Tuning(View<const double> trajectory, const Shape& image, const NufftOptions& base,
         const TuneOptions& options, Context& ctx)
      : trajectory_(trajectory),
        image_(image),
        base_(base),
        options_(options),
        ctx_(ctx),
        begin_(Clock::now()),
        forward_(options.goal != TuneGoal::adjoint),
        adjoint_(options.goal != TuneGoal::forward),
        limit_(options.bytes > 0 ? options.bytes : ctx.memory_limit()) {
    if (options.oversampling != 0) base_.oversampling = options.oversampling;
    if (options.method) base_.method = *options.method;
    base_.forward = forward_;
    base_.adjoint = adjoint_;
  }

  TuneResult run() {
    result_.key = key();
    result_.chosen = described({.method = base_.method, .wanted = base_.oversampling});
    if (options_.wisdom != nullptr && options_.level != TuneLevel::estimate && take_wisdom())
      return finished();
    if (options_.level == TuneLevel::estimate || options_.level == TuneLevel::wisdom_only) return finished();
    search();
    if (options_.wisdom != nullptr) remember();
    return finished();
  }

 private:
  NufftOptions options_of(const TuneTrial& trial) const {
    NufftOptions result = base_;
    result.method = trial.method;
    result.oversampling = trial.wanted;
    return result;
  }

  TuneResult finished() {
    result_.options = options_of(result_.chosen);
    result_.options.forward = result_.options.adjoint = true;
    if (options_.goal == TuneGoal::forward) result_.options.adjoint = false;
    if (options_.goal == TuneGoal::adjoint) result_.options.forward = false;
    result_.seconds = seconds_since(begin_);
    return std::move(result_);
  }

  std::string key() const {
    return fmt::format(
        "{} | {} image {} samples {} coils {} tolerance {:g} {} method {} sigma {:g} | {:016x}",
        device_description(ctx_), sizeof(T) == 4 ? "float" : "double", image_.to_string(),
        trajectory_.shape()[0], base_.batch, base_.tolerance, to_string(options_.goal),
        options_.method ? to_string(*options_.method) : "any", options_.oversampling,
        fingerprint(trajectory_));
  }

  // Grid, width and bytes of a candidate.
  TuneTrial described(TuneTrial trial) const {
    const NufftOptions options = options_of(trial);
    const auto plan = nufft::PlanOptions{.tolerance = options.tolerance,
                                         .oversampling = options.oversampling,
                                         .batch = std::max<Index>(1, options.batch),
                                         .small_grid = options.small_grid,
                                         .forward = forward_,
                                         .adjoint = adjoint_,
                                         .method = options.method};
    const auto choice = nufft::choose_plan_grid<T>(image_, trajectory_.shape()[0], plan, ctx_);
    trial.oversampling = choice.oversampling;
    trial.width = choice.kernel->kernel.width();
    trial.grid = choice.grid;
    return trial;
  }

  std::vector<TuneTrial> candidates() const {
    std::vector<TuneTrial> list;
    for (const NufftMethod method : {NufftMethod::gridding, NufftMethod::matrix}) {
      if (options_.method && *options_.method != method) continue;
      std::array<Index, 3> last{0, 0, 0};
      for (double wanted = least_oversampling; wanted < most_oversampling + 1e-9;
           wanted += oversampling_step) {
        if (options_.oversampling != 0 && wanted > least_oversampling) break;
        TuneTrial trial{.method = method,
                        .wanted = options_.oversampling != 0 ? options_.oversampling : wanted};
        try {
          trial = described(trial);
        } catch (const Error& error) {
          if (error.error_class() != ErrorClass::usage) throw;
          continue;  // unreachable with such low oversampling
        }
        if (trial.grid == last) continue;
        last = trial.grid;
        const NufftOptions options = options_of(trial);
        trial.bytes = Nufft<T>::scratch_bytes(image_, trajectory_.shape()[0], options, ctx_) +
                      Nufft<T>::table_bytes(image_, trajectory_.shape()[0], options, false, ctx_);
        if (trial.bytes <= limit_) list.push_back(trial);
      }
    }
    return list;
  }

  // The smallest of several times for each direction.
  void measure(TuneTrial& trial, int times) {
    const auto begin = Clock::now();
    const Nufft<T> nufft(trajectory_, image_, options_of(trial), ctx_);
    ctx_.synchronize();
    trial.setup_ms = 1e3 * seconds_since(begin);
    trial.oversampling = nufft.oversampling();
    trial.width = nufft.kernel_width();
    trial.bytes = nufft.scratch_bytes(ctx_) + nufft.table_bytes();
    // On a GPU this is known only now; the default is accepted in any case, because it is the reference.
    if (trial.bytes > limit_ && !result_.trials.empty())
      throw resource_error("tuner: a candidate takes {} of the {} allowed", format_bytes(trial.bytes),
                           format_bytes(limit_));
    nufft.reserve(ctx_);
    if (images_.empty()) {
      images_ = timing_values<T>(nufft.domain(), ctx_);
      samples_ = timing_values<T>(nufft.codomain(), ctx_);
    }
    if (forward_) trial.forward_ms = least_ms(times, ctx_, [&] { nufft.apply(images_, samples_, ctx_); });
    if (adjoint_) trial.adjoint_ms = least_ms(times, ctx_, [&] { nufft.adjoint(samples_, images_, ctx_); });
  }

  // False if it does not fit.
  bool try_out(TuneTrial trial) {
    ctx_.throw_if_cancelled();
    try {
      measure(trial, repeats);
    } catch (const Error& error) {
      // Skips a candidate that does not fit; the default must fit.
      if (error.error_class() != ErrorClass::resource || result_.trials.empty()) throw;
      --result_.candidates;
      return false;
    }
    ctx_.reporter().progress("tune", static_cast<Index>(result_.trials.size()),
                             static_cast<Index>(result_.candidates),
                             fmt::format("{} {:.3f}", to_string(trial.method), trial.oversampling));
    result_.trials.push_back(trial);
    return true;
  }

  bool out_of_time() const { return seconds_since(begin_) > options_.seconds; }

  static bool faster(const TuneTrial& a, const TuneTrial& b) { return a.goal_ms() < b.goal_ms(); }

  // Candidates are in the order of their oversampling, method by method: every eighth of them, then the
  // neighbours of the fastest, nearer and nearer.
  void search() {
    auto list = candidates();
    result_.candidates = list.size() + 1;
    try_out(result_.chosen);  // the default: the choice is never slower than it
    // Omits the candidate that equals the default.
    const TuneTrial& first = result_.trials[0];
    std::erase_if(list, [&](const TuneTrial& trial) {
      return trial.method == first.method && trial.width == first.width && trial.grid == first.grid;
    });
    result_.candidates = list.size() + 1;
    std::vector<char> tried(list.size(), 0);
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    const auto take = [&](std::size_t place) {
      if (place >= list.size() || tried[place] || out_of_time()) return;
      tried[place] = 1;
      if (!try_out(list[place]) || result_.trials.back().goal_ms() >= least) return;
      least = result_.trials.back().goal_ms();
      best = place;
    };
    std::size_t stride = options_.level == TuneLevel::exhaustive ? 1 : first_stride;
    for (std::size_t place = stride / 2; place < list.size(); place += stride) take(place);
    for (stride /= 2; stride > 0; stride /= 2) {
      const std::size_t centre = best;
      take(centre - stride);  // without a left neighbour: beyond the list, which take() ignores
      take(centre + stride);
    }
    choose_among_the_best();
  }

  // A single measurement of a few calls can be too favourable: the best candidates are measured again,
  // alternately with the default, as far as they fit in memory together.
  void choose_among_the_best() {
    std::vector<std::size_t> best(result_.trials.size());
    std::iota(best.begin(), best.end(), std::size_t{0});
    std::sort(best.begin(), best.end(),
              [&](std::size_t a, std::size_t b) { return faster(result_.trials[a], result_.trials[b]); });
    result_.chosen = result_.trials[best[0]];
    std::erase(best, 0U);
    best.resize(std::min(best.size(), finalists));
    std::vector<std::size_t> places{0};
    std::vector<std::unique_ptr<Nufft<T>>> nuffts;
    std::size_t bytes = result_.trials[0].bytes;
    nuffts.push_back(std::make_unique<Nufft<T>>(trajectory_, image_, options_of(result_.trials[0]), ctx_));
    for (const std::size_t i : best) {
      bytes += result_.trials[i].bytes;
      if (bytes > limit_) break;
      nuffts.push_back(std::make_unique<Nufft<T>>(trajectory_, image_, options_of(result_.trials[i]), ctx_));
      places.push_back(i);
    }
    if (places.size() < 2) return;
    std::vector<const Nufft<T>*> list;
    for (const auto& nufft : nuffts) list.push_back(nufft.get());
    const auto times = alternating_times<T>(
        list, {.forward = forward_, .adjoint = adjoint_, .seconds = final_share * options_.seconds}, ctx_);
    for (std::size_t i = 0; i < places.size(); ++i) {
      TuneTrial& trial = result_.trials[places[i]];
      trial.forward_ms = std::min(trial.forward_ms, times[i].least_forward_ms);
      trial.adjoint_ms = std::min(trial.adjoint_ms, times[i].least_adjoint_ms);
    }
    result_.chosen = result_.trials[places[fastest_of(times, least_gain)]];
  }

  bool take_wisdom() {
    const auto entry = options_.wisdom->find(result_.key);
    if (!entry) return false;
    const auto number = [&](const char* name) {
      const auto found = entry->numbers.find(name);
      return found == entry->numbers.end() ? -1 : found->second;
    };
    const auto word = [&](const char* name) {
      const auto found = entry->words.find(name);
      return found == entry->words.end() ? std::string() : found->second;
    };
    if (options_.level == TuneLevel::exhaustive && word("level") != to_string(TuneLevel::exhaustive))
      return false;
    TuneTrial trial{.wanted = number("oversampling")};
    trial.method =
        word("method") == to_string(NufftMethod::matrix) ? NufftMethod::matrix : NufftMethod::gridding;
    const double wanted = trial.wanted;
    bool sensible = word("method") == to_string(trial.method) &&
                    (wanted == 0 || (wanted >= least_oversampling && wanted <= most_oversampling + 1e-6)) &&
                    (forward_ == (number("forward_ms") > 0)) && (adjoint_ == (number("adjoint_ms") > 0));
    if (sensible) {
      try {
        trial = described(trial);
      } catch (const Error&) {
        sensible = false;
      }
    }
    if (!sensible) {
      ctx_.reporter().warning("the stored tuning result of this problem is invalid and not used");
      return false;
    }
    trial.width = static_cast<int>(number("width"));
    trial.forward_ms = std::max(0.0, number("forward_ms"));
    trial.adjoint_ms = std::max(0.0, number("adjoint_ms"));
    result_.chosen = trial;
    result_.from_wisdom = true;
    return true;
  }

  void remember() const {
    const TuneTrial& trial = result_.chosen;
    WisdomEntry entry;
    entry.words = {{"method", to_string(trial.method)}, {"level", to_string(options_.level)}};
    entry.numbers = {{"oversampling", trial.wanted},
                     {"width", trial.width},
                     {"forward_ms", trial.forward_ms},
                     {"adjoint_ms", trial.adjoint_ms},
                     {"trials", static_cast<double>(result_.trials.size())}};
    options_.wisdom->store(result_.key, entry);
  }

  View<const double> trajectory_;
  Shape image_;
  NufftOptions base_;
  TuneOptions options_;
  Context& ctx_;
  Clock::time_point begin_;
  bool forward_, adjoint_;
  std::size_t limit_;
  Array<C> images_, samples_;
  TuneResult result_;
};

}  // namespace

std::string to_string(TuneLevel level) {
  return level == TuneLevel::wisdom_only ? "wisdom"
         : level == TuneLevel::estimate  ? "estimate"
         : level == TuneLevel::measure   ? "measure"
                                         : "exhaustive";
}

std::string to_string(TuneGoal goal) {
  return goal == TuneGoal::forward ? "forward" : goal == TuneGoal::adjoint ? "adjoint" : "both";
}

std::string device_description(const Context& ctx) {
  if constexpr (cuda::built)
    if (ctx.on_gpu()) return cuda::device_name(ctx.device().ordinal);
  std::ifstream file("/proc/cpuinfo");
  std::string line, model = "processor";
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with("model name") || colon == std::string::npos || colon + 2 > line.size()) continue;
    model = line.substr(colon + 2);
    break;
  }
  return fmt::format("{}, {} thread{}", model, ctx.threads(), ctx.threads() == 1 ? "" : "s");
}

template <typename T>
TuneResult tune_nufft(View<const double> trajectory, const Shape& image, const NufftOptions& base,
                      const TuneOptions& options, Context& ctx) {
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != image.rank())
    throw usage_error("tune: trajectory of shape {} for an image of shape {}, expected [samples, {}]",
                      trajectory.shape().to_string(), image.to_string(), image.rank());
  if (!(options.seconds >= 0))
    throw usage_error("a tuning budget of {} s; expected 0 or more", options.seconds);
  return Tuning<T>(trajectory, image, base, options, ctx).run();
}

template <typename T>
std::vector<NormalTrial> tune_normal(const Nufft<T>& nufft, Context& ctx) {
  using Mode = NormalOptions::Toeplitz;
  std::vector<NormalTrial> trials{{"Toeplitz", {.toeplitz = Mode::on}},
                                  {"adjoint and forward", {.toeplitz = Mode::off}}};
  const auto x = timing_values<T>(nufft.domain(), ctx);
  Array<std::complex<T>> y(nufft.domain(), ctx.device());
  for (NormalTrial& trial : trials) {
    const auto begin = Clock::now();
    const auto normal = nufft.normal(trial.options, ctx);
    ctx.synchronize();
    trial.setup_ms = 1e3 * seconds_since(begin);
    trial.ms = least_ms(repeats, ctx, [&] { normal.apply(x, y, ctx); });
  }
  std::sort(trials.begin(), trials.end(), [](const auto& a, const auto& b) { return a.ms < b.ms; });
  return trials;
}

#define LARMOR_INSTANTIATE(T)                                                              \
  template TuneResult tune_nufft<T>(View<const double>, const Shape&, const NufftOptions&, \
                                    const TuneOptions&, Context&);                         \
  template std::vector<NormalTrial> tune_normal<T>(const Nufft<T>&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
