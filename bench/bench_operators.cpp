// Execution times of planned operators: NUFFT both ways, and the SENSE normal operator.
//   bench_operators [--benchmark_filter=…] [--benchmark_format=json]; LARMOR_THREADS sets the threads
//   (default 2).
// Counters: error, the achieved relative l2 error; ns_per_point, per sample and coil; setup_ms, plan or PSF.
#include "problems.hpp"

#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/toeplitz.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <random>

namespace {

using namespace larmor;
using C = std::complex<float>;

int threads() {
  const char* text = std::getenv("LARMOR_THREADS");
  return text ? std::atoi(text) : 2;
}

using larmor::bench::kooshball;
using larmor::bench::radial;

Array<C> noise(const Shape& shape) {
  std::mt19937 generator(1);
  std::normal_distribution<float> gauss;
  Array<C> array(shape);
  for (C& value : array) {
    const float re = gauss(generator), im = gauss(generator);
    value = {re, im};
  }
  return array;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Problem {
  const char* name;
  std::function<Array<double>()> trajectory;
  Shape image;
  Index coils;
};

const Problem problems[] = {
    {"radial_402x512_256", [] { return radial(402, 512); }, {256, 256}, 16},
    {"radial_402x512_256_1coil", [] { return radial(402, 512); }, {256, 256}, 1},
    {"kooshball_2e6_128", [] { return kooshball(10000, 200); }, {128, 128, 128}, 8},
    {"kooshball_2e6_128_1coil", [] { return kooshball(10000, 200); }, {128, 128, 128}, 1},
};

void transform(benchmark::State& state, const Problem& problem, double tolerance, bool forward) {
  Context ctx(Device::cpu(), {.threads = threads()});
  const auto k = problem.trajectory();
  const auto start = std::chrono::steady_clock::now();
  const Nufft<float> F(k, problem.image, {.tolerance = tolerance, .batch = problem.coils}, ctx);
  state.counters["setup_ms"] = 1e3 * seconds_since(start);
  auto x = noise(F.domain()), y = noise(F.codomain());
  F.reserve(ctx);
  for (auto _ : state) {
    if (forward)
      F.apply(x, y, ctx);
    else
      F.adjoint(y, x, ctx);
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
  const SenseToeplitz<float> normal(toeplitz, CoilMaps<float>(noise(image.prepend(coils))));
  auto x = noise(image), y = noise(image);
  normal.reserve(ctx);
  for (auto _ : state) {
    normal.apply(x, y, ctx);
    benchmark::ClobberMemory();
  }
  state.counters["scratch_MB"] = 1e-6 * static_cast<double>(normal.scratch_bytes(ctx));
}

}  // namespace

int main(int argc, char** argv) {
  for (const Problem& problem : problems)
    for (const double tolerance : {1e-2, 1e-3, 1e-4})
      for (const bool forward : {true, false}) {
        const auto name =
            fmt::format("{}/{:.0e}/{}", problem.name, tolerance, forward ? "forward" : "adjoint");
        benchmark::RegisterBenchmark(name.c_str(), transform, problem, tolerance, forward)
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
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
