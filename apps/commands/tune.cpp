#include <larmor/apps/commands/tune.hpp>
#include <larmor/apps/machine/read_scan.hpp>
#include <larmor/apps/machine/wisdom_options.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/mri/reconstruct/steps/memory.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/options/reconstruction/reconstruct_options.hpp>
#include <larmor/options/words/values.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace larmor::app {
namespace {

using Json = nlohmann::ordered_json;

struct TuneCommand {
  ScanOptions scan;
  WisdomOptions wisdom;
  TuneOptions tune;
  bool show = false, clear = false;
};

std::string row(const TuneTrial& trial, const TuneTrial& chosen, double best) {
  const bool taken = trial.method == chosen.method && trial.wanted == chosen.wanted;
  return fmt::format("{:<9} {:>6.3f} {:>5} {:>16} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.1f} {:>9}{}{}\n",
                     to_string(trial.method), trial.oversampling, trial.width,
                     fmt::format("{}x{}x{}", trial.grid[0], trial.grid[1], trial.grid[2]), trial.forward_ms,
                     trial.adjoint_ms, trial.goal_ms(), trial.setup_ms, format_bytes(trial.bytes),
                     trial.wanted == 0 ? "  default" : "",
                     taken ? fmt::format("  chosen ({:.2f} of the best here)", trial.goal_ms() / best) : "");
}

std::string table_of(const TuneResult& result) {
  std::string text =
      fmt::format("{:<9} {:>6} {:>5} {:>16} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "method", "sigma", "width",
                  "grid", "fwd ms", "adj ms", "sum ms", "setup ms", "memory");
  double best = result.trials.front().goal_ms();
  for (const TuneTrial& trial : result.trials) best = std::min(best, trial.goal_ms());
  for (const TuneTrial& trial : result.trials) text += row(trial, result.chosen, best);
  return text;
}

Json json_of(const TuneTrial& trial) {
  return {{"method", to_string(trial.method)},
          {"oversampling", trial.oversampling},
          {"width", trial.width},
          {"forward_ms", trial.forward_ms},
          {"adjoint_ms", trial.adjoint_ms},
          {"setup_ms", trial.setup_ms},
          {"bytes", trial.bytes}};
}

std::string json_of(const TuneResult& result, const std::string& device) {
  Json trials = Json::array();
  for (const TuneTrial& trial : result.trials) trials.push_back(json_of(trial));
  return Json{{"device", device},
              {"chosen", json_of(result.chosen)},
              {"remembered", result.from_wisdom},
              {"candidates", result.candidates},
              {"seconds", result.seconds},
              {"trials", trials}}
             .dump(2) +
         "\n";
}

template <typename T>
void tune(TuneCommand& options, Machine& machine) {
  Context& ctx = machine.ctx;
  const Scan scan = read_scan(options.scan, machine);
  machine.take_device();
  const GivenArrays given = read_given_arrays(options.scan);
  const PrepareOptions& prepare = options.scan.reconstruct.prepare;
  const ScanPlan plan = plan_scan(scan, prepare);
  const ChannelPlan channels = plan_channels(scan, plan, ctx, prepare);
  const PreparedImage image = load_trajectory(plan, 0);
  const auto trajectory = copied_to(ctx.device(), image.trajectory);
  const Shape shape = plan.grids.solve_shape();
  // If the reconstruction will use a more accurate transform than the user requests, that one is tuned.
  const ReconstructOptions& reconstruct = options.scan.reconstruct;
  const ProblemList problems = plan_problems(plan, channels.coils, reconstruct);
  const MemoryDecision decision = decide_memory(scan, plan, problems, channels.coils, reconstruct, ctx);
  const NufftOptions base{.tolerance = decision.nufft_tolerance, .batch = channels.coils};
  // The file is opened at every effort level: this costs nothing, and the command prints its content.
  const auto wisdom = open_wisdom(options.wisdom, *machine.console);
  options.tune.wisdom = wisdom.get();
  const TuneResult result = tune_nufft<T>(trajectory, shape, base, options.tune, ctx);

  if (options.scan.machine.json) return print_out(json_of(result, device_description(ctx)));
  std::string text =
      fmt::format("device     {}\nproblem    {} image, {} samples, {} coils, tolerance {:g}, {}\n",
                  device_description(ctx), shape.to_string(), trajectory.shape()[0], channels.coils,
                  base.tolerance, sizeof(T) == 4 ? "single" : "double");
  if (!result.trials.empty())
    text += fmt::format("\n{}\nmeasured   {} of {} candidates in {:.1f} s\n", table_of(result),
                        result.trials.size(), result.candidates, result.seconds);
  const TuneTrial& chosen = result.chosen;
  text += fmt::format("chosen     {}, oversampling {:.3f}, width {}{}\n", to_string(chosen.method),
                      chosen.oversampling, chosen.width,
                      result.from_wisdom      ? ", remembered"
                      : result.trials.empty() ? ", by the plan's own cost model"
                                              : "");
  if (chosen.measured())
    text += fmt::format(
        "time       forward {:.3f} ms, adjoint {:.3f} ms{}\n", chosen.forward_ms, chosen.adjoint_ms,
        result.trials.empty() ? std::string()
                              : fmt::format("; together {:.3f} ms, the default {:.3f} ms", chosen.goal_ms(),
                                            result.trials.front().goal_ms()));
  if (options.tune.goal == TuneGoal::both && !result.trials.empty()) {
    const Nufft<T> nufft(trajectory, shape, result.options, ctx);
    for (const NormalTrial& trial : tune_normal(nufft, ctx))
      text +=
          fmt::format("normal     {}: {:.3f} ms, set-up {:.1f} ms\n", trial.form, trial.ms, trial.setup_ms);
    text += fmt::format("error      {:.2e} measured, {:g} requested\n", nufft.measured_error(ctx),
                        base.tolerance);
  }
  if (!result.from_wisdom && !result.trials.empty())
    text += fmt::format("remembered in {}\n", wisdom->path());
  print_out(text);
}

Json json_of(WisdomFile& wisdom) {
  Json list = Json::object();
  for (const auto& [key, entry] : wisdom.entries()) {
    for (const auto& [name, value] : entry.words) list[key][name] = value;
    for (const auto& [name, value] : entry.numbers) list[key][name] = value;
  }
  return list;
}

std::string table_of(WisdomFile& wisdom) {
  const auto entries = wisdom.entries();
  std::string text = fmt::format("{}: {} entries\n", wisdom.path(), entries.size());
  for (const auto& [key, entry] : entries) {
    text += one_line(key) + "\n ";
    for (const auto& [name, value] : entry.words)
      text += fmt::format(" {} {}", one_line(name), one_line(value));
    for (const auto& [name, value] : entry.numbers) text += fmt::format(" {} {:g}", one_line(name), value);
    text += "\n";
  }
  return text;
}

/// Number of stored results, and how many of them are deleted.
void show_or_clear(const TuneCommand& options, WisdomFile& wisdom) {
  if (options.scan.machine.json) {
    Json json{{"file", wisdom.path()}};
    if (options.show) json["entries"] = json_of(wisdom);
    if (options.clear) json["forgotten"] = wisdom.clear();
    return print_out(json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n");
  }
  if (options.show) print_out(table_of(wisdom));
  if (options.clear) print_out(fmt::format("{}: {} entries deleted\n", wisdom.path(), wisdom.clear()));
}

void run(TuneCommand& options, const Session& session) {
  if (options.show || options.clear) {
    Console console(options.scan.machine.quiet, options.scan.machine.verbose);
    return show_or_clear(options, *open_wisdom(options.wisdom, console));
  }
  if (options.scan.scan.empty() && options.scan.kspace_file.empty())
    throw usage_error("SCAN is required, or --kspace (see recon tune --help)");
  Machine machine(options.scan.machine, session);
  if (options.scan.reconstruct.solve.precision == Precision::double_precision)
    tune<double>(options, machine);
  else
    tune<float>(options, machine);
}

}  // namespace

Command tune_command() {
  Command command("tune", "Find the fastest Fourier transform for a scan's trajectory",
                  "Examples:\n"
                  "  recon tune scan.h5 && recon run scan.h5 --tune wisdom -o image.nii.gz\n"
                  "  recon tune --show");
  const auto options = std::make_shared<TuneCommand>();
  TuneOptions& tuning = options->tune;
  ReconstructOptions& reconstruct = options->scan.reconstruct;
  command.heading("Tuning");
  add_tune_level(command, "--level", tuning);
  command.choice<TuneGoal>(
      "--for", "direction to optimise", tuning.goal,
      {{"forward", TuneGoal::forward}, {"adjoint", TuneGoal::adjoint}, {"both", TuneGoal::both}});
  command.choice<std::optional<NufftMethod>>(
      "--method", "method of interpolation between samples and grid", tuning.method,
      {{"any", std::nullopt}, {"gridding", NufftMethod::gridding}, {"matrix", NufftMethod::matrix}});
  command.value("--oversampling", "X", "oversampling of the grid (default: several are tried)",
                [&tuning](const std::string& text) { tuning.oversampling = number_in(text, 1.15, 2.5); });
  command.number("--seconds", "S", "start no more trials after this many seconds", tuning.seconds, 0, 1e6);
  command.value("--bytes", "SIZE", "memory limit of a transform, such as 4G (default: the available memory)",
                [&tuning](const std::string& text) { tuning.bytes = parse_bytes(text); });
  add_wisdom(command, options->wisdom);
  command.flag("--json", "print JSON instead of tables", options->scan.machine.json);
  command.flag("--show", "print all stored tuning results; needs no scan", options->show);
  command.flag("--clear", "delete all stored tuning results; needs no scan", options->clear);
  command.heading("");
  command.number("--nufft-tolerance", "T", "relative error of the Fourier transform",
                 reconstruct.transform.tolerance, 1e-15, 0.5);
  command.choice<Precision>(
      "--precision", "arithmetic", reconstruct.solve.precision,
      {{"single", Precision::single_precision}, {"double", Precision::double_precision}});
  add_coil_options(command, options->scan);
  add_scan_options(command, options->scan);
  take_trajectory_alone(command, options->scan);
  add_kspace_options(command, options->scan, false);
  command.action = [options](const Session& session) { run(*options, session); };
  return command;
}

}  // namespace larmor::app
