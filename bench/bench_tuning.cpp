// Time of one NUFFT, forward and adjoint, against oversampling for undersampled radial trajectories, by
// method, and the tuner's choice; the default, the choice and the best are measured again. JSON on stdout.
//     bench_tuning [--device D] [--threads N] [--size N] [--coils N] [--tolerance E] [--seconds S]
//     bench_tuning --grid 62 94 126 [--device D] [--threads N] [--seconds S]
// With --grid: trajectories, accelerations and accuracies in three dimensions, tuned against fixed
// oversampling.
#include <larmor/mri/trajectory/trajectories.hpp>
#include <larmor/operators/nufft/tune/alternating_times.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>

#include <fmt/format.h>

#include "problems.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>
#include <numbers>

namespace {

using namespace larmor;

// Radial spokes by the golden angle: π/2 N of them sample an N × N image fully, R times fewer here.
Array<double> radial(Index size, Index acceleration) {
  const auto spokes = static_cast<Index>(
      std::ceil(std::numbers::pi / 2 * static_cast<double>(size) / static_cast<double>(acceleration)));
  const Index readout = 2 * size;
  Array<double> k({spokes * readout, 2});
  for (Index s = 0; s < spokes; ++s)
    for (Index i = 0; i < readout; ++i) {
      const double angle = std::numbers::pi * static_cast<double>(s) / std::numbers::phi;
      const double radius = static_cast<double>(i - size) / static_cast<double>(readout);
      k[(s * readout + i) * 2] = radius * std::cos(angle);
      k[(s * readout + i) * 2 + 1] = radius * std::sin(angle);
    }
  return k;
}

nlohmann::json described(const TuneTrial& trial) {
  return {{"method", to_string(trial.method)},
          {"oversampling", trial.oversampling},
          {"width", trial.width},
          {"forward_ms", trial.forward_ms},
          {"adjoint_ms", trial.adjoint_ms},
          {"setup_ms", trial.setup_ms},
          {"bytes", trial.bytes},
          {"default", trial.wanted == 0}};
}

struct Settings {
  std::string device = "auto";
  Index size = 256, coils = 8;
  int threads = 0;
  double tolerance = 1e-2, seconds = 60;
  std::vector<Index> grid;  // sizes; empty: the times against oversampling
};

nlohmann::json landscape(Index acceleration, const Settings& settings, Context& ctx) {
  const auto k = moved_to(ctx.device(), radial(settings.size, acceleration));
  const Shape image{settings.size, settings.size};
  const NufftOptions base{.tolerance = settings.tolerance, .batch = settings.coils};
  const auto tuned = tune_nufft<float>(k, image, base, {.seconds = settings.seconds}, ctx);
  const auto all =
      tune_nufft<float>(k, image, base, {.level = TuneLevel::exhaustive, .seconds = settings.seconds}, ctx);
  nlohmann::json trials = nlohmann::json::array();
  for (const TuneTrial& trial : all.trials) trials.push_back(described(trial));
  // Measured again, alternately: the tuner's choice, the fastest method so far, and the default.
  const Nufft<float> chosen(k, image, tuned.options, ctx), best(k, image, all.options, ctx),
      plain(k, image, base, ctx);
  const auto times = alternating_times<float>({&best, &chosen, &plain}, {.rounds = 25, .seconds = 10}, ctx);
  const auto ms = [&](std::size_t i) { return times[i].forward_ms + times[i].adjoint_ms; };
  return {{"acceleration", acceleration},
          {"samples", k.shape()[0]},
          {"tuned", described(tuned.chosen)},
          {"tuned_trials", tuned.trials.size()},
          {"tuned_seconds", tuned.seconds},
          {"candidates", all.candidates},
          {"afresh_ms", {{"tuned", ms(1)}, {"best", ms(0)}, {"default", ms(2)}}},
          {"tuned_to_best", times[1].ratio},
          {"default_to_best", times[2].ratio},
          {"trials", trials}};
}

Array<double> volume(const std::string& name, Index size, Index acceleration) {
  const auto n = static_cast<double>(size);
  const auto count = [&](double full) {
    return static_cast<Index>(std::ceil(full / static_cast<double>(acceleration)));
  };
  if (name == "radial") return bench::kooshball(count(std::numbers::pi * n * n), size / 2);
  if (name == "rotated stack of stars")
    return std::move(
        rotated_stack_of_stars({.spokes = count(std::numbers::pi / 2 * n), .samples = size}, size).k);
  if (name == "cones") return bench::cones(size, acceleration);
  return bench::random_points(count(n * n * n), 3, 1);
}

// One case of the grid: fixed oversampling, the plan's own choice and the tuned one, alternately.
nlohmann::json grid_case(const std::string& name, Index size, Index acceleration, double tolerance,
                         const Settings& settings, Context& ctx) {
  const auto k = moved_to(ctx.device(), volume(name, size, acceleration));
  const Shape image{size, size, size};
  const NufftOptions base{.tolerance = tolerance};
  const auto tuned = tune_nufft<float>(k, image, base, {.seconds = settings.seconds}, ctx);
  NufftOptions high = base, low = base;
  high.oversampling = 2;
  low.oversampling = 1.25;
  const std::pair<const char*, NufftOptions> ways[] = {
      {"oversampling_2", high}, {"oversampling_1.25", low}, {"default", base}, {"tuned", tuned.options}};
  std::vector<std::unique_ptr<Nufft<float>>> nuffts;
  std::vector<const Nufft<float>*> list;
  for (const auto& [label, options] : ways) {
    nuffts.push_back(std::make_unique<Nufft<float>>(k, image, options, ctx));
    list.push_back(nuffts.back().get());
  }
  const auto times = alternating_times<float>(list, {.rounds = 15, .seconds = settings.seconds / 2}, ctx);
  nlohmann::json result{{"trajectory", name},
                        {"size", size},
                        {"acceleration", acceleration},
                        {"tolerance", tolerance},
                        {"samples", k.shape()[0]},
                        {"chosen", described(tuned.chosen)},
                        {"tuning_seconds", tuned.seconds},
                        {"error", list.back()->measured_error(ctx)}};
  for (std::size_t i = 0; i < list.size(); ++i)
    result[ways[i].first] = {{"forward_ms", times[i].forward_ms},
                             {"adjoint_ms", times[i].adjoint_ms},
                             {"speed_up", 1 / times[i].ratio}};
  return result;
}

nlohmann::json grid(const Settings& settings, Context& ctx) {
  nlohmann::json cases = nlohmann::json::array();
  for (const Index size : settings.grid)
    for (const std::string name : {"radial", "rotated stack of stars", "cones", "random"})
      for (const double tolerance : {0.01, 0.001})
        for (const Index acceleration : {1, 4, 16}) {
          cases.push_back(grid_case(name, size, acceleration, tolerance, settings, ctx));
          const auto& last = cases.back();
          fmt::print(stderr, "{}^3 {} {} R = {}: {:.2f} of oversampling 2, default {:.2f}\n", size, name,
                     tolerance, acceleration, last["tuned"]["speed_up"].get<double>(),
                     last["default"]["speed_up"].get<double>());
          ctx.arena().release();
        }
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("time of a NUFFT against oversampling, and what the tuner chooses");
  app.add_option("--device", settings.device);
  app.add_option("--threads", settings.threads);
  app.add_option("--size", settings.size)->check(CLI::PositiveNumber);
  app.add_option("--coils", settings.coils)->check(CLI::NonNegativeNumber);
  app.add_option("--tolerance", settings.tolerance);
  app.add_option("--seconds", settings.seconds, "for each landscape, or each case of the grid");
  app.add_option("--grid", settings.grid, "sizes of a grid of cases in three dimensions, one coil")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    Context ctx(Device::parse(settings.device), {.threads = settings.threads});
    nlohmann::json result{{"device", device_description(ctx)}};
    if (!settings.grid.empty()) {
      result["cases"] = grid(settings, ctx);
    } else {
      result["size"] = settings.size;
      result["coils"] = settings.coils;
      result["tolerance"] = settings.tolerance;
      for (const Index acceleration : {1, 4, 16})
        result["problems"].push_back(landscape(acceleration, settings, ctx));
    }
    fmt::print("{}\n", result.dump(1));
  } catch (const Error& error) {
    fmt::print(stderr, "bench_tuning: {}\n", error.what());
    return error.exit_code();
  }
  return 0;
}
