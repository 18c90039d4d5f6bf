// Time of one NUFFT, forward and adjoint, against oversampling for undersampled radial trajectories, by
// method, and what the tuner chooses there; the default, the choice and the best measured afresh. JSON on
// stdout.
//   bench_tuning [--device D] [--threads N] [--size N] [--coils N] [--tolerance E] [--seconds S]
#include <larmor/operators/nufft/tuner.hpp>
#include <larmor/operators/nufft/turns.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
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
          {"predicted_ms", trial.predicted_ms},
          {"bytes", trial.bytes},
          {"default", trial.wanted == 0}};
}

}  // namespace

int main(int argc, char** argv) {
  std::string device = "auto";
  Index size = 256, coils = 8;
  int threads = 0;
  double tolerance = 1e-2, seconds = 60;
  CLI::App app("time of a NUFFT against oversampling, and what the tuner chooses");
  app.add_option("--device", device);
  app.add_option("--threads", threads);
  app.add_option("--size", size)->check(CLI::PositiveNumber);
  app.add_option("--coils", coils)->check(CLI::NonNegativeNumber);
  app.add_option("--tolerance", tolerance);
  app.add_option("--seconds", seconds, "for each landscape");
  CLI11_PARSE(app, argc, argv);
  try {
    Context ctx(Device::parse(device), {.threads = threads});
    nlohmann::json problems = nlohmann::json::array();
    for (const Index acceleration : {1, 4, 16}) {
      const auto k = moved_to(ctx.device(), radial(size, acceleration));
      const NufftOptions base{.tolerance = tolerance, .batch = coils};
      const auto tuned = tune_nufft<float>(k, {size, size}, base, {.seconds = seconds}, ctx);
      const auto all =
          tune_nufft<float>(k, {size, size}, base, {.level = TuneLevel::exhaustive, .seconds = seconds}, ctx);
      nlohmann::json trials = nlohmann::json::array();
      for (const TuneTrial& trial : all.trials) trials.push_back(described(trial));
      // Afresh, in turns: what the tuner chose, the best of the landscape, and the default.
      const Shape image{size, size};
      const Nufft<float> chosen(k, image, tuned.options, ctx), best(k, image, all.options, ctx),
          plain(k, image, base, ctx);
      const auto times = times_in_turns<float>({&best, &chosen, &plain}, {.rounds = 25, .seconds = 10}, ctx);
      const auto ms = [&](std::size_t i) { return times[i].forward_ms + times[i].adjoint_ms; };
      problems.push_back({{"acceleration", acceleration},
                          {"samples", k.shape()[0]},
                          {"tuned", described(tuned.chosen)},
                          {"tuned_trials", tuned.trials.size()},
                          {"tuned_seconds", tuned.seconds},
                          {"candidates", all.candidates},
                          {"afresh_ms", {{"tuned", ms(1)}, {"best", ms(0)}, {"default", ms(2)}}},
                          {"tuned_to_best", times[1].ratio},
                          {"default_to_best", times[2].ratio},
                          {"trials", trials}});
    }
    const nlohmann::json result{{"device", device_description(ctx)},
                                {"size", size},
                                {"coils", coils},
                                {"tolerance", tolerance},
                                {"problems", problems}};
    fmt::print("{}\n", result.dump(1));
  } catch (const Error& error) {
    fmt::print(stderr, "bench_tuning: {}\n", error.what());
    return error.exit_code();
  }
  return 0;
}
