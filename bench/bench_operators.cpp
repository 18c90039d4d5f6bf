// Execution times of planned operators: NUFFT both ways, and the SENSE normal operator.
// Names: problem/tolerance/direction, "_double" behind the problem for double precision.
//   bench_operators [--benchmark_filter=…] [--benchmark_format=json]; LARMOR_THREADS sets the threads
//   (default 2).
// Counters: error, the achieved relative l2 error; ns_per_point, per sample and coil; setup_ms, plan or PSF.
#include "problems.hpp"

#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>

#include <fmt/format.h>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>

namespace {

using namespace larmor;

int threads() {
  const char* text = std::getenv("LARMOR_THREADS");
  return text ? std::atoi(text) : 2;
}

using larmor::bench::kooshball;
using larmor::bench::noise;
using larmor::bench::radial;
using larmor::bench::random_points;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Problem {
  const char* name;
  std::function<Array<double>()> trajectory;
  Shape image;
  Index coils;
  bool all_tolerances = false;  // and double precision
};

// Clustered: uniform in 8 cells per axis of the grid at oversampling 2.
Array<double> clustered(Index samples, const Shape& image) {
  return random_points(samples, image.rank(), 8.0 / (2.0 * static_cast<double>(image[0])));
}

const Problem problems[] = {
    {"radial_402x512_256", [] { return radial(402, 512); }, {256, 256}, 16},
    {"radial_402x512_256_1coil", [] { return radial(402, 512); }, {256, 256}, 1},
    {"kooshball_2e6_128", [] { return kooshball(10000, 200); }, {128, 128, 128}, 8},
    {"kooshball_2e6_128_1coil", [] { return kooshball(10000, 200); }, {128, 128, 128}, 1},
    {"random_1d", [] { return random_points(1000000, 1, 1); }, {1000000}, 1, true},
    {"random_2d", [] { return random_points(1000000, 2, 1); }, {1000, 1000}, 1, true},
    {"random_3d", [] { return random_points(1000000, 3, 1); }, {100, 100, 100}, 1, true},
    {"clustered_1d", [] { return clustered(1000000, {1000000}); }, {1000000}, 1},
    {"clustered_2d",
     [] {
       return clustered(1000000, {1000, 1000});
     },
     {1000, 1000},
     1},
    {"clustered_3d",
     [] {
       return clustered(1000000, {100, 100, 100});
     },
     {100, 100, 100},
     1},
};

template <typename T>
void transform(benchmark::State& state, const Problem& problem, double tolerance, bool forward) {
  Context ctx(Device::cpu(), {.threads = threads()});
  const auto k = problem.trajectory();
  const auto start = std::chrono::steady_clock::now();
  const Nufft<T> F(k, problem.image, {.tolerance = tolerance, .batch = problem.coils}, ctx);
  state.counters["setup_ms"] = 1e3 * seconds_since(start);
  auto x = noise<T>(F.domain()), y = noise<T>(F.codomain());
  F.reserve(ctx);
  const auto run = [&] { forward ? F.apply(x, y, ctx) : F.adjoint(y, x, ctx); };
  run();  // touches the scratch memory
  for (auto _ : state) {
    run();
    benchmark::ClobberMemory();
  }
  const double points = static_cast<double>(k.shape()[0] * problem.coils);
  state.counters["ns_per_point"] = benchmark::Counter(
      points * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["error"] = F.measured_error(ctx);
  state.counters["width"] = F.kernel_width();
  state.counters["oversampling"] = F.oversampling();
}

void sense_normal(benchmark::State& state, const Shape& image, Index coils, ToeplitzForm form) {
  Context ctx(Device::cpu(), {.threads = threads()});
  const auto k = image.rank() == 2 ? radial(96, 2 * image[0]) : kooshball(4000, image[0]);
  const auto start = std::chrono::steady_clock::now();
  const Toeplitz<float> toeplitz(k, {}, image, coils, 1e-4, true, form, ctx);
  state.counters["setup_ms"] = 1e3 * seconds_since(start);
  const SenseToeplitz<float> normal(toeplitz, CoilMaps<float>(noise<float>(image.prepend(coils))));
  auto x = noise<float>(image), y = noise<float>(image);
  normal.reserve(ctx);
  normal.apply(x, y, ctx);
  for (auto _ : state) {
    normal.apply(x, y, ctx);
    benchmark::ClobberMemory();
  }
  state.counters["scratch_MB"] = 1e-6 * static_cast<double>(normal.scratch_bytes(ctx));
}

}  // namespace

int main(int argc, char** argv) {
  const auto add = [](const Problem& problem, const char* precision, double tolerance, auto run) {
    for (const bool forward : {true, false}) {
      const auto name =
          fmt::format("{}{}/{:.0e}/{}", problem.name, precision, tolerance, forward ? "forward" : "adjoint");
      benchmark::RegisterBenchmark(name.c_str(), run, problem, tolerance, forward)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
  };
  for (const Problem& problem : problems) {
    for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
      if (tolerance > 1e-5 || problem.all_tolerances) add(problem, "", tolerance, transform<float>);
    if (problem.all_tolerances)
      for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12})
        add(problem, "_double", tolerance, transform<double>);
  }
  for (const ToeplitzForm form : {ToeplitzForm::padded, ToeplitzForm::low_memory}) {
    const char* name = form == ToeplitzForm::padded ? "padded" : "low_memory";
    benchmark::RegisterBenchmark(fmt::format("sense_normal_240_8coils/{}", name).c_str(), sense_normal,
                                 Shape{240, 240}, 8, form)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
    benchmark::RegisterBenchmark(fmt::format("sense_normal_128cubed_8coils/{}", name).c_str(), sense_normal,
                                 Shape{128, 128, 128}, 8, form)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
