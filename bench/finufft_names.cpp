// The cost of a transform through FINUFFT's names (liblarmor_finufft) compared with Larmor's own Transform:
// the same points, data, tolerance and threads, calls alternating, as a Markdown table of medians:
//     finufft_names [threads, default all] [rounds, default 21]
// The ratio is the median over rounds of the wrapper's time over Transform's: above 1, the wrapper is slower.
// Its set-up (make plan, set points) includes the conversion of FINUFFT's coordinates, radians in the
// transform's precision, to cycles.

#include "measure.hpp"
#include "problems.hpp"

#include <larmor/capi/finufft/finufft.h>
#include <larmor/operators/nufft/transform.hpp>

#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace larmor::bench {
namespace {

template <typename T>
struct Names;
template <>
struct Names<float> {
  using Plan = finufftf_plan;
  static constexpr auto make = finufftf_makeplan;
  static constexpr auto set_points = finufftf_setpts;
  static constexpr auto execute = finufftf_execute;
  static constexpr auto destroy = finufftf_destroy;
};
template <>
struct Names<double> {
  using Plan = finufft_plan;
  static constexpr auto make = finufft_makeplan;
  static constexpr auto set_points = finufft_setpts;
  static constexpr auto execute = finufft_execute;
  static constexpr auto destroy = finufft_destroy;
};

struct Problem {
  std::string name;
  int type;
  Shape modes;  ///< of type 3: none
  Array<double> points, frequencies;
  Index batch;
  double tolerance;
};

/// Reads the columns one after another, multiplied by `scale`.
template <typename T>
std::vector<std::vector<T>> columns(const Array<double>& points, double scale) {
  std::vector<std::vector<T>> result(3);
  const Index dims = points.shape().rank() == 2 ? points.shape()[1] : 0;
  for (Index axis = 0; axis < dims; ++axis)
    for (Index j = 0; j < points.shape()[0]; ++j)
      result[static_cast<std::size_t>(axis)].push_back(static_cast<T>(scale * points[j * dims + axis]));
  return result;
}

/// The points of the columns as rows of doubles, rounded to single precision.
template <typename T>
Array<double> rows(const std::vector<std::vector<T>>& columns, Index dims, double scale) {
  const auto count = static_cast<Index>(columns[0].size());
  Array<double> result({count, dims});
  for (Index j = 0; j < count; ++j)
    for (Index axis = 0; axis < dims; ++axis)
      result[j * dims + axis] =
          scale * static_cast<double>(columns[static_cast<std::size_t>(axis)][static_cast<std::size_t>(j)]);
  return result;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Seconds {
  double wall, processor;
};

/// Time of one call; short calls are repeated within a measurement.
Seconds seconds_of(const std::function<void()>& call, int calls) {
  const double begin = seconds_now();
  const std::clock_t used = std::clock();
  for (int i = 0; i < calls; ++i) call();
  const double processor = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
  return {(seconds_now() - begin) / calls, processor / calls};
}

struct Compared {
  Seconds ratio;
  double ours;  ///< Transform's median time in seconds
};

/// Both alternately; the one that goes first alternates.
Compared compare(const std::function<void()>& ours, const std::function<void()>& shim, int rounds) {
  ours();
  shim();
  const int calls = std::max(1, static_cast<int>(5e-3 / seconds_of(ours, 1).wall));
  std::vector<double> walls, processors, times;
  for (int round = 0; round < rounds; ++round) {
    Seconds a{}, b{};
    if (round % 2 == 0) a = seconds_of(ours, calls);
    b = seconds_of(shim, calls);
    if (round % 2 != 0) a = seconds_of(ours, calls);
    walls.push_back(b.wall / a.wall);
    processors.push_back(b.processor / a.processor);
    times.push_back(a.wall);
  }
  return {{median(walls), median(processors)}, median(times)};
}

template <typename T>
void run(const Problem& problem, int threads, int rounds) {
  using C = std::complex<T>;
  Context ctx(Device::cpu(), {.threads = threads});
  const bool third = problem.type == 3;
  const TransformOptions options{
      .tolerance = problem.tolerance, .sign = -1, .batch = problem.batch, .adjoint = true};
  constexpr double turn = 2 * std::numbers::pi;
  const auto x = columns<T>(problem.points, third ? 1 : turn);
  const auto s = columns<T>(problem.frequencies, turn);
  const int dims = static_cast<int>(problem.points.shape()[1]);
  const Array<double> points = rows(x, dims, third ? 1 : 1 / turn), frequencies = rows(s, dims, 1 / turn);
  std::optional<Transform<T>> transform;
  const auto set_up = [&] {
    transform.emplace(third ? Transform<T>(options)
                            : Transform<T>(static_cast<TransformType>(problem.type), problem.modes, options));
    third ? transform->set_points(points, frequencies, ctx) : transform->set_points(points, ctx);
  };
  const auto count = static_cast<std::int64_t>(x[0].size()), targets = static_cast<std::int64_t>(s[0].size());
  std::int64_t modes[3] = {1, 1, 1};
  for (int axis = 0; axis < dims && !third; ++axis) modes[axis] = problem.modes[dims - 1 - axis];
  finufft_opts settings;
  finufft_default_opts(&settings);
  settings.nthreads = threads;
  typename Names<T>::Plan plan = nullptr;
  const auto set_up_shim = [&] {
    if (plan != nullptr) Names<T>::destroy(plan);
    if (Names<T>::make(problem.type, dims, modes, -1, static_cast<int>(problem.batch),
                       static_cast<T>(problem.tolerance), &plan, &settings) != 0 ||
        Names<T>::set_points(plan, count, x[0].data(), x[1].data(), x[2].data(), targets, s[0].data(),
                             s[1].data(), s[2].data()) != 0)
      std::abort();
  };
  const Compared setting_up = compare(set_up, set_up_shim, rounds);

  Array<C> at_points = noise<T>({problem.batch, count});
  Array<C> others = noise<T>({problem.batch, third ? targets : problem.modes.size()});
  const Array<C>& in = problem.type == 2 ? others : at_points;
  Array<C>& out = problem.type == 2 ? at_points : others;
  const Compared executing = compare([&] { transform->execute(in.view(), out.view(), ctx); },
                                     [&] {
                                       if (Names<T>::execute(plan, at_points.data(), others.data()) != 0)
                                         std::abort();
                                     },
                                     rounds);
  Names<T>::destroy(plan);
  std::printf("| %s | %d | %s | %.0e | %d | %.4g | %.3f | %.3f | %.4g | %.3f | %.3f |\n",
              problem.name.c_str(), problem.type, std::is_same_v<T, float> ? "float" : "double",
              problem.tolerance, threads, 1e3 * executing.ours, executing.ratio.wall,
              executing.ratio.processor, 1e3 * setting_up.ours, setting_up.ratio.wall,
              setting_up.ratio.processor);
  std::fflush(stdout);
}

}  // namespace
}  // namespace larmor::bench

int main(int argc, char** argv) {
  using namespace larmor;
  using namespace larmor::bench;
  const int threads =
      argc > 1 ? std::atoi(argv[1]) : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 21;
  if (threads < 1 || rounds < 1) {
    std::fprintf(stderr, "usage: %s [threads] [rounds], both at least 1\n", argv[0]);
    return 2;
  }
  // Freed memory stays with the process; otherwise it would be random which of the two has to request it from
  // the system again.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  std::printf(
      "| problem | type | precision | tolerance | threads | execute ms | ratio | of processor time | "
      "set-up ms | ratio | of processor time |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const int type : {1, 2}) {
    run<float>({"radial, 256², 16 coils", type, {256, 256}, radial(402, 512), {}, 16, 1e-3}, threads, rounds);
    run<double>({"radial, 256²", type, {256, 256}, radial(402, 512), {}, 1, 1e-9}, threads, rounds);
    run<float>({"10⁶ random, 100³", type, {100, 100, 100}, random_points(1000000, 3, 1), {}, 1, 1e-3},
               threads, rounds);
    run<double>({"10⁶ random, 10⁶", type, {1000000}, random_points(1000000, 1, 1), {}, 1, 1e-6}, threads,
                rounds);
    run<float>({"1000 random, 1000", type, {1000}, random_points(1000, 1, 1), {}, 1, 1e-3}, threads, rounds);
  }
  run<double>(
      {"65536 to 65536, 2D", 3, {}, random_points(1 << 16, 2, 1), random_points(1 << 16, 2, 256, 8), 1, 1e-6},
      threads, rounds);
}
