// Iterations and seconds until a solver is within 1e-6 of the smallest objective, for one convex problem per
// regulariser, as a Markdown table:
//     solver_table [cpu|cuda] [pixels] [threads] [names of regularisers, default all]

#include "problems.hpp"

#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/stacks.hpp>
#include <larmor/solvers/regularizers/constraints.hpp>
#include <larmor/solvers/regularizers/l1.hpp>
#include <larmor/solvers/regularizers/l2.hpp>
#include <larmor/solvers/regularizers/low_rank.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>
#include <larmor/solvers/solve.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace larmor {
namespace {

using T = float;
using C = std::complex<T>;
constexpr Index frames = 4, coils = 4;

// Ellipses, one of which changes its brightness from frame to frame.
Array<C> series(Index n) {
  Array<C> image({frames, n, n});
  for (Index f = 0; f < frames; ++f)
    for (Index y = 0; y < n; ++y)
      for (Index x = 0; x < n; ++x) {
        const auto inside = [&](double cx, double cy, double a, double b) {
          const double u = (2.0 * static_cast<double>(x) / static_cast<double>(n) - 1 - cx) / a;
          const double v = (2.0 * static_cast<double>(y) / static_cast<double>(n) - 1 - cy) / b;
          return u * u + v * v < 1 ? 1.0 : 0.0;
        };
        const double changing = 0.2 + 0.2 * static_cast<double>(f);
        const double value = inside(0, 0, 0.8, 0.7) - 0.4 * inside(0.2, 0.1, 0.3, 0.2) +
                             changing * inside(-0.3, -0.2, 0.2, 0.25) + 0.3 * inside(0.1, -0.4, 0.08, 0.08);
        image[(f * n + y) * n + x] = static_cast<T>(value);
      }
  return image;
}

// Smooth sensitivities with root-sum-of-squares 1.
Array<C> maps(Index n) {
  Array<C> map({coils, n, n});
  for (Index p = 0; p < n * n; ++p) {
    const double x = static_cast<double>(p % n) / static_cast<double>(n) - 0.5;
    const double y = static_cast<double>(p / n) / static_cast<double>(n) - 0.5;
    double energy = 0;
    std::complex<double> value[coils];
    for (Index c = 0; c < coils; ++c) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(c) / coils;
      const double along = std::cos(angle) * x + std::sin(angle) * y;
      value[c] = std::polar(std::exp(2 * along), 2 * along + angle);
      energy += std::norm(value[c]);
    }
    for (Index c = 0; c < coils; ++c) map[c * n * n + p] = C(value[c] / std::sqrt(energy));
  }
  return map;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void table(const Device& device, Index n, int threads, const std::vector<std::string>& names) {
  Context ctx(device, {.threads = threads});
  const auto trajectory = bench::radial(n / 3, 2 * n);
  const auto A = Batched<T>(Nufft<T>(trajectory, {n, n}, {.tolerance = 1e-5, .batch = coils}, ctx) *
                                CoilMaps<T>(moved_to(device, maps(n))),
                            frames);
  auto samples = moved_to(Device::cpu(), A.apply(moved_to(device, series(n)), ctx));
  double energy = 0;
  for (const C& value : samples) energy += std::norm(std::complex<double>(value));
  const double noise = 0.05 * std::sqrt(energy / static_cast<double>(samples.size()));
  bench::SplitMix random(1);
  for (C& value : samples)
    value +=
        C(static_cast<T>(noise * (random.uniform() - 0.5)), static_cast<T>(noise * (random.uniform() - 0.5)));
  const SharedArray<C> y = moved_to(device, std::move(samples));
  const SharedArray<C> rhs = A.adjoint(y, ctx);
  const auto normal = A.normal({.toeplitz = NormalOptions::Toeplitz::on}, ctx);

  const ImageLayout layout{{frames, n, n}, 2};
  const std::vector<Regularizer<T>> terms = {l2<T>(1e-2),
                                             l1<T>(layout, {.lambda = 1e-3}),
                                             wavelet_l1<T>(layout, {.lambda = 1e-3, .shifts = false}),
                                             total_variation<T>(layout, {.lambda = 1e-3}),
                                             temporal_total_variation<T>(layout, 1e-3),
                                             total_generalised_variation<T>(layout, {.lambda = 1e-3}),
                                             locally_low_rank<T>(layout, {.lambda = 1e-3, .shifts = false}),
                                             low_rank_sparse<T>(layout, {.lambda = 1e-3}, device),
                                             positivity<T>(layout),
                                             real_valued<T>(layout)};

  std::printf(
      "| regulariser | solver | device | iterations | AᴴA | seconds | gap "
      "|\n|---|---|---|---|---|---|---|\n");
  for (const auto& term : terms) {
    if (!names.empty() && std::find(names.begin(), names.end(), term.name) == names.end()) continue;
    Problem<T> problem;
    problem.normal = normal;
    problem.rhs = rhs;
    problem.model = A;
    problem.samples = y;
    problem.regularizers = {term};
    problem.norm_squared = solve<T>(problem, Solver::admm, {.iterations = 0}, ctx).operator_norm_squared;
    std::vector<Solver> solvers = {Solver::admm, Solver::pdhg};
    const Solver best = automatic_solver(problem, ctx);
    if (best != Solver::admm) solvers.insert(solvers.begin(), Solver::fista);
    if (best == Solver::cg) solvers.insert(solvers.begin(), {Solver::cg, Solver::lsmr});
    const Index most = 20000;
    std::vector<std::vector<SolverStep>> histories;
    // The copies of a splitting method may differ from the image, so its objective may be below the minimum.
    const auto counts = [](const SolverStep& step) { return step.constraint < 1e-4; };
    double least = 0;
    for (const Solver solver : solvers) {
      histories.push_back(
          solve<T>(problem, solver, {.iterations = most, .tolerance = 1e-6, .objective = true}, ctx).history);
      if (counts(histories.back().back())) least = std::min(least, histories.back().back().objective);
    }
    for (std::size_t i = 0; i < solvers.size(); ++i) {
      const SolverStep* reached = &histories[i].back();
      for (const SolverStep& step : histories[i])
        if (counts(step) && std::abs(step.objective - least) <= 1e-6 * std::abs(least)) {
          reached = &step;
          break;
        }
      ctx.synchronize();
      const auto start = std::chrono::steady_clock::now();
      const auto result = solve<T>(problem, solvers[i], {.iterations = reached->iteration}, ctx);
      ctx.synchronize();
      std::printf("| %s | %s | %s | %lld | %lld | %.3f | %.1e |\n", term.name.c_str(), to_string(solvers[i]),
                  device.to_string().c_str(), static_cast<long long>(reached->iteration),
                  static_cast<long long>(result.normal_applies), seconds_since(start),
                  std::abs(reached->objective - least) / std::abs(least));
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace larmor

int main(int argc, char** argv) {
  const std::string where = argc > 1 ? argv[1] : "cpu";
  const larmor::Index pixels = argc > 2 ? std::atoi(argv[2]) : 96;
  if ((where != "cpu" && where != "cuda") || pixels < 32) {
    std::fprintf(stderr, "usage: solver_table [cpu|cuda] [pixels >= 32] [threads] [regulariser …]\n");
    return 2;
  }
  try {
    const larmor::Device device =
        where == "cuda" ? larmor::Device{larmor::Device::Kind::cuda, 0} : larmor::Device::cpu();
    larmor::table(device, pixels, argc > 3 ? std::atoi(argv[3]) : 0,
                  std::vector<std::string>(argv + std::min(argc, 4), argv + argc));
  } catch (const larmor::Error& error) {
    std::fprintf(stderr, "solver_table: %s\n", error.what());
    return error.exit_code();
  }
  return 0;
}
