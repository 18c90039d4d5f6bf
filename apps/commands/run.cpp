#include <larmor/apps/commands/run.hpp>
#include <larmor/apps/options/scan_options.hpp>
#include <larmor/apps/options/tune_options.hpp>
#include <larmor/apps/options/values.hpp>
#include <larmor/apps/output/checkpoint.hpp>
#include <larmor/apps/output/outputs.hpp>
#include <larmor/apps/output/report.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/mri/reconstruct/options/rules.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>

#include <array>
#include <limits>
#include <memory>

namespace larmor::app {
namespace {

struct RunOptions {
  ScanOptions scan;
  WisdomOptions wisdom;
  std::vector<std::string> outputs;
  std::string report;
  std::string checkpoint;
  Index checkpoint_every = 10;
  bool overwrite = false;
};

/// Files of --replicas beside OUT.
constexpr std::array<const char*, 3> quality_suffixes{"-sd", "-snr", "-g"};

void add_output_options(Command& command, RunOptions& options) {
  ReconstructOptions& reconstruct = options.scan.reconstruct;
  command
      .values("-o,--output", "OUT",
              "image file, repeatable; its format by extension: .nii .nii.gz .h5 .png .npy .cfl",
              [&options](const std::string& text) {
                if (text.empty()) throw usage_error("the value is empty");
                options.outputs.push_back(text);
              })
      .required = true;
  command.flag("--overwrite", "replace outputs that exist", options.overwrite);
  command.text("--report", "FILE", "write what was done as JSON", options.report);
  const auto add_kind = [&](const char* name, ImageKind kind, const char* help) {
    command.flag(name, help, [&reconstruct, kind] { reconstruct.output.kind = kind; });
  };
  add_kind("--magnitude", ImageKind::magnitude, "magnitude images (the default)");
  add_kind("--phase", ImageKind::phase, "phase images, in radians");
  add_kind("--complex", ImageKind::complex, "complex images");
  command.exclude({"--magnitude", "--phase", "--complex"});
}

void add_solver_options(Command& command, RunOptions& options) {
  ReconstructOptions& reconstruct = options.scan.reconstruct;
  command.heading("Solver");
  command.values(
      "--regularizer", "NAME:LAMBDA[:key=value...]",
      "a term of the list below, repeatable, or none. LAMBDA is a number free of scale, auto or "
      "discrepancy. Without: the l2, density weights and iterations of which the least error is expected",
      [&reconstruct](const std::string& text) {
        if (text != "none") reconstruct.solve.regularizers.push_back(parse_regularizer(text));
      });
  std::string solvers = "auto|";
  for (const SolverRow& row : solver_table()) solvers += std::string(row.name) + "|";
  solvers += "gridding";
  command.value("--solver", solvers,
                "auto: cg for none and l2, fista for one term with a simple proximal map, "
                "otherwise admm. lsmr: cg's problem, solved on the samples. gridding: one adjoint "
                "with density weights (default auto)",
                [&reconstruct, solvers](const std::string& text) {
                  place_of(text, split(solvers, '|'));
                  reconstruct.solve.gridding = text == "gridding";
                  if (!reconstruct.solve.gridding) reconstruct.solve.solver = parse_solver(text);
                });
  command.value(
      "--iterations", "N",
      "most iterations (default: 30 where none or l2 is given, 100 for other terms, 200 without any)",
      [&reconstruct](const std::string& text) { reconstruct.solve.iterations = count_in(text, 1, 1000000); });
  command.number("--tolerance", "T", "stop when |gradient|/|A'y| falls below T; 0: never",
                 reconstruct.solve.tolerance, 0, 1);
  command.text(
      "--checkpoint", "FILE",
      "keep the solver's state there. A file that exists is where to go on. It is removed at the end",
      options.checkpoint);
  command.count("--checkpoint-every", "iterations between two checkpoints", options.checkpoint_every, 1,
                1000000);
  command.choice<NormalOptions::Toeplitz>("--toeplitz", "Toeplitz form of the normal operator",
                                          reconstruct.transform.toeplitz,
                                          {{"auto", NormalOptions::Toeplitz::automatic},
                                           {"on", NormalOptions::Toeplitz::on},
                                           {"off", NormalOptions::Toeplitz::off}});
  command.number("--nufft-tolerance", "T", "relative error of the Fourier transform",
                 reconstruct.transform.tolerance, 1e-15, 0.5);
  command.choice<Precision>(
      "--precision", "arithmetic", reconstruct.solve.precision,
      {{"single", Precision::single_precision}, {"double", Precision::double_precision}});
  add_tune_level(command, "--tune", reconstruct.transform.tune);
  add_wisdom(command, options.wisdom);
}

/// What is about to be done, so that defaults are seen.
std::string describe(const RunOptions& options) {
  const ReconstructOptions& reconstruct = options.scan.reconstruct;
  if (reconstruct.solve.gridding) return "gridding: one adjoint with density weights";
  const std::string until =
      reconstruct.solve.tolerance > 0
          ? fmt::format(" or until the gradient falls below {}", reconstruct.solve.tolerance)
          : "";
  if (reconstruct.solve.automatic)
    return fmt::format("solver cg: what promises the least error, up to {} iterations{}, NUFFT tolerance {}",
                       iterations_of(reconstruct.solve), until, reconstruct.transform.tolerance);
  return fmt::format("solver {}: {} iterations{}, regularizer {}, NUFFT tolerance {}",
                     to_string(reconstruct.solve.solver), iterations_of(reconstruct.solve), until,
                     to_string(reconstruct.solve.regularizers), reconstruct.transform.tolerance);
}

// The images are written: a report that cannot be is only missed.
void write_report(const RunOptions& options, const Session& session, Machine& machine, RunFacts& facts,
                  const Reconstruction& result) {
  facts.command = session.command;
  facts.device = machine.ctx.device().to_string();
  facts.threads = machine.ctx.threads();
  facts.fov_shift_applied = options.scan.reconstruct.prepare.apply_fov_shift;
  facts.outputs = options.outputs;
  facts.warnings = machine.console->warnings();
  try {
    write_text(options.report, run_report(facts, result), options.overwrite);
  } catch (const Error& error) {
    machine.console->lost(fmt::format("no report: {}", error.what()));
  }
}

void run(RunOptions& options, const Session& session) {
  const Stopwatch total;
  Machine machine(options.scan.machine, session);
  std::vector<Target> targets;
  for (const std::string& output : options.outputs) {
    targets.push_back({output, Content::images});
    if (options.scan.reconstruct.output.replicas == 0) continue;
    for (const char* suffix : quality_suffixes)
      targets.push_back({with_suffix(output, suffix), Content::images});
  }
  if (!options.report.empty()) targets.push_back({options.report, Content::text});
  if (!options.checkpoint.empty()) targets.push_back({options.checkpoint, Content::checkpoint});
  if (!options.wisdom.file.empty()) targets.push_back({options.wisdom.file, Content::wisdom});
  check_targets(targets, options.overwrite, options.scan.inputs(), machine.console.get());
  const CheckpointFile checkpoint(options.checkpoint, *machine.console);
  if (!options.checkpoint.empty()) options.scan.reconstruct.solve.checkpoint_every = options.checkpoint_every;
  checkpoint.connect(options.scan.reconstruct);
  const auto wisdom =
      open_optional_wisdom(options.wisdom, options.scan.reconstruct.transform.tune, *machine.console);

  Stopwatch stage;
  const GivenArrays given = read_given_arrays(options.scan);
  check_rules(options.scan.reconstruct);
  Scan scan = read_scan(options.scan, machine);
  Array<std::complex<float>> other_maps;
  if (!options.scan.calibration_file.empty()) {
    other_maps = maps_of_other_scan(
        read_ismrmrd(options.scan.calibration_file,
                     {.group = "", .memory_limit = machine.ctx.memory_limit(), .cancel = machine.cancel}),
        scan, options.scan.reconstruct, machine.ctx);
    options.scan.reconstruct.coils.maps = other_maps.view();
  }
  RunFacts facts;
  facts.read_seconds = stage.lap();
  machine.ctx.throw_if_cancelled();
  machine.console->note(describe(options));

  const Reconstruction result = reconstruct(std::move(scan), options.scan.reconstruct, machine.ctx);

  stage.lap();
  for (const std::string& output : options.outputs) {
    machine.ctx.throw_if_cancelled();
    const WrittenFiles written =
        write_images(output, result.series, options.overwrite, machine.ctx.threads());
    for (const std::string& warning : written.warnings) machine.console->warning(warning);
    if (options.scan.reconstruct.output.replicas == 0) continue;
    const ImageSeries* maps[] = {&result.quality.deviation, &result.quality.signal_to_noise,
                                 &result.quality.g_factor};
    for (std::size_t i = 0; i < std::size(maps); ++i)
      if (!maps[i]->images.empty())
        write_images(with_suffix(output, quality_suffixes[i]), *maps[i], options.overwrite,
                     machine.ctx.threads());
  }
  checkpoint.remove();
  facts.write_seconds = stage.lap();
  facts.total_seconds = total.seconds();
  for (const auto& [name, seconds] : result.report.seconds)
    machine.console->detail(fmt::format("{}: {:.3f} s", name, seconds));
  machine.console->note(fmt::format("{} image(s) in {:.2f} s (read {:.2f} s, write {:.2f} s)",
                                    result.series.images.size(), facts.total_seconds, facts.read_seconds,
                                    facts.write_seconds));
  if (!options.report.empty()) write_report(options, session, machine, facts, result);
  machine.console->repeat_losses();
}

}  // namespace

Command run_command() {
  Command command(
      "run", "Reconstruct images from a scan",
      "Terms of --regularizer, with their keys:\n" + regularizer_help() +
          "\nExamples:\n"
          "  recon run scan.h5 -o image.nii.gz\n"
          "  recon run scan.h5 -o image.h5 -o image.png --regularizer l2:1e-3 --report report.json");
  const auto options = std::make_shared<RunOptions>();
  ReconstructOptions& reconstruct = options->scan.reconstruct;
  add_output_options(command, *options);
  add_solver_options(command, *options);
  add_density_option(command, options->scan, "none, for gridding pipe");
  add_coil_options(command, options->scan);
  command.text("--maps", "FILE", "coil maps [(sets,) coils, (z,) y, x] in the scan's channels (.npy, .cfl)",
               options->scan.maps_file);
  command.text("--calibration", "FILE", "estimate coil maps from another scan of the same place and coils",
               options->scan.calibration_file);
  command.choice<Combine>(
      "--combine", "sense: one image by the coil maps, rss: root sum of squares, none: an image of each coil",
      reconstruct.coils.combine, {{"sense", Combine::sense}, {"rss", Combine::rss}, {"none", Combine::none}});
  add_scan_options(command, options->scan);
  command.heading("Quality");
  command.value(
      "--replicas", "N",
      "also write OUT-sd, OUT-snr and OUT-g: noise, signal-to-noise and g-factor from N pseudo "
      "replicas",
      [&reconstruct](const std::string& text) { reconstruct.output.replicas = count_in(text, 2, 100000); });
  command.value("--seed", "N", "of the replicas' noise (default 1)", [&reconstruct](const std::string& text) {
    reconstruct.output.seed =
        static_cast<std::uint64_t>(count_in(text, 0, std::numeric_limits<Index>::max()));
  });
  add_physics_options(command, options->scan);
  command.exclude({"--maps", "--calibrate"});
  command.exclude({"--maps", "--calibration"});
  command.require("--checkpoint-every", "--checkpoint");
  command.check([&reconstruct](const Command& given) {
    reconstruct.solve.automatic =
        !given.given("--regularizer") && !reconstruct.solve.gridding &&
        (reconstruct.solve.solver == Solver::automatic || reconstruct.solve.solver == Solver::cg);
    check_rules(reconstruct);
    for (const char* name : {"--regularizer", "--iterations", "--tolerance"})
      if (reconstruct.solve.gridding && given.given(name))
        throw usage_error("{} has no meaning with --solver gridding, which does not iterate", name);
  });
  command.action = [options](const Session& session) { run(*options, session); };
  return command;
}

}  // namespace larmor::app
