#include <larmor/apps/checkpoint.hpp>
#include <larmor/apps/commands.hpp>
#include <larmor/apps/options.hpp>
#include <larmor/apps/outputs.hpp>
#include <larmor/apps/report.hpp>
#include <larmor/apps/scan_options.hpp>
#include <larmor/apps/tune_options.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/mri/reconstruct/image_solver.hpp>

#include <array>
#include <limits>

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

void declare(CLI::App& app, RunOptions& options) {
  ReconstructOptions& reconstruct = options.scan.reconstruct;
  add_repeatable(app, "-o,--output", "OUT",
                 "output, repeatable; format by extension: .nii .nii.gz .h5 .png .npy .cfl",
                 [&options](const std::string& text) {
                   if (text.empty()) throw usage_error("-o: the file name is empty");
                   options.outputs.push_back(text);
                 })
      ->required();
  app.add_flag("--overwrite", options.overwrite, "replace outputs that exist");
  add_text(app, "--report", "FILE", "write what was done as JSON", options.report);
  const auto add_kind = [&](const char* name, ImageKind kind, const char* help) {
    return app.add_flag_callback(
        name, [&reconstruct, kind] { reconstruct.kind = kind; }, help);
  };
  const std::vector<CLI::Option*> kinds{
      add_kind("--magnitude", ImageKind::magnitude, "magnitude images (the default)"),
      add_kind("--phase", ImageKind::phase, "phase images, radians"),
      add_kind("--complex", ImageKind::complex, "complex images")};

  const std::string solver = "Solver";
  CLI::Option* regularizer = add_repeatable(app, "--regularizer", "NAME:LAMBDA[:key=value...]",
                                            "none, or a term of the list below, repeatable; LAMBDA is free "
                                            "of scale, or auto, or discrepancy (default none)",
                                            [&reconstruct](const std::string& text) {
                                              if (text != "none")
                                                reconstruct.regularizers.push_back(parse_regularizer(text));
                                            })
                                 ->group(solver);
  add_choice<SolverKind>(
      app, "--solver",
      "auto: cg for none and l2, fista for one term with a simple proximal map, otherwise admm; "
      "lsmr: as cg, on the samples; "
      "gridding: one adjoint with density weights (default auto)",
      reconstruct.solver,
      {{"auto", SolverKind::automatic},
       {"cg", SolverKind::conjugate_gradient},
       {"lsmr", SolverKind::lsmr},
       {"fista", SolverKind::fista},
       {"admm", SolverKind::admm},
       {"pdhg", SolverKind::pdhg},
       {"gridding", SolverKind::gridding}})
      ->group(solver);
  CLI::Option* iterations =
      add_count(app, "--iterations", "most iterations (default 30 for none and l2, otherwise 100)",
                reconstruct.iterations, 1, 1000000)
          ->group(solver);
  CLI::Option* tolerance = add_number(app, "--tolerance", "stop when |gradient|/|A'y| is below; 0: never",
                                      reconstruct.tolerance, 0, 1)
                               ->group(solver);
  add_text(app, "--checkpoint", "FILE",
           "keep the solver's state there and, where it exists, go on from it; removed at the end",
           options.checkpoint)
      ->group(solver);
  CLI::Option* every = add_count(app, "--checkpoint-every", "iterations between two checkpoints",
                                 options.checkpoint_every, 1, 1000000)
                           ->group(solver);
  add_choice<NormalOptions::Toeplitz>(
      app, "--toeplitz", "Toeplitz form of the normal operator (default auto)", reconstruct.toeplitz,
      {{"auto", NormalOptions::Toeplitz::automatic},
       {"on", NormalOptions::Toeplitz::on},
       {"off", NormalOptions::Toeplitz::off}})
      ->group(solver);
  add_number(app, "--nufft-tolerance", "relative error of the Fourier transform", reconstruct.nufft_tolerance,
             1e-15, 0.5)
      ->group(solver);
  add_choice<Precision>(app, "--precision", "arithmetic (default single)", reconstruct.precision,
                        {{"single", Precision::single_precision}, {"double", Precision::double_precision}})
      ->group(solver);
  add_tune_level(app, options.scan.reconstruct.tune, options.wisdom).front()->group(solver);
  add_density_option(app, options.scan, "density weights (default: none for cg, pipe for gridding)");

  add_coil_options(app, options.scan);
  CLI::Option* maps =
      add_text(app, "--maps", "FILE", "coil maps [(sets,)coils,(z,)y,x] in the scan's channels (.npy, .cfl)",
               options.scan.maps_file)
          ->group("Coils");
  add_choice<Combine>(app, "--combine", "coil model, root sum of squares, or coil images (default sense)",
                      reconstruct.combine,
                      {{"sense", Combine::sense}, {"rss", Combine::rss}, {"none", Combine::none}})
      ->group("Coils");

  add_scan_options(app, options.scan);
  add_count(
      app, "--replicas",
      "also write OUT-sd, OUT-snr and OUT-g: noise, signal-to-noise and g-factor from N pseudo replicas",
      reconstruct.replicas, 2, 100000)
      ->group("Quality");
  add_parsed(app, "--seed", "N", "of the replicas' noise (default 1)",
             [&reconstruct](const std::string& text) {
               reconstruct.replica_seed = static_cast<std::uint64_t>(
                   parse_count("--seed", text, 0, std::numeric_limits<Index>::max()));
             })
      ->group("Quality");
  add_physics_options(app, options.scan);
  CLI::Option* calibrate = app.get_option("--calibrate");
  app.final_callback([&app, &options, kinds, regularizer, iterations, tolerance, every, maps, calibrate] {
    require_one_of(kinds);
    check_physics_options(app);
    require_one_of({maps, calibrate});
    if (every->count() > 0 && options.checkpoint.empty())
      throw usage_error("--checkpoint-every needs --checkpoint");
    if (!options.checkpoint.empty()) options.scan.reconstruct.checkpoint_every = options.checkpoint_every;
    check_solver(options.scan.reconstruct);
    if (options.scan.reconstruct.solver != SolverKind::gridding) return;
    for (const CLI::Option* option : {regularizer, iterations, tolerance}) {
      if (option->count() > 0)
        throw usage_error("{} has no meaning with --solver gridding, which does not iterate",
                          option->get_name());
    }
  });
}

/// What is about to be done, so that defaults are seen.
std::string describe(const RunOptions& options) {
  const ReconstructOptions& reconstruct = options.scan.reconstruct;
  if (reconstruct.solver == SolverKind::gridding) return "gridding: one adjoint with density weights";
  const std::string until = reconstruct.tolerance > 0
                                ? fmt::format(" or until the gradient falls below {}", reconstruct.tolerance)
                                : "";
  return fmt::format("solver {}: {} iterations{}, regularizer {}, NUFFT tolerance {}",
                     to_string(reconstruct.solver), iterations_of(reconstruct), until,
                     to_string(reconstruct.regularizers), reconstruct.nufft_tolerance);
}

void run(RunOptions& options, const Session& session) {
  const Stopwatch total;
  Machine machine(options.scan.machine, session);
  std::vector<Target> targets;
  for (const std::string& output : options.outputs) {
    targets.push_back({output, Content::images});
    if (options.scan.reconstruct.replicas == 0) continue;
    for (const char* suffix : quality_suffixes)
      targets.push_back({with_suffix(output, suffix), Content::images});
  }
  if (!options.report.empty()) targets.push_back({options.report, Content::text});
  check_targets(targets, options.overwrite, options.scan.inputs());
  const CheckpointFile checkpoint(options.checkpoint, targets, options.scan.inputs(), *machine.console);
  checkpoint.connect(options.scan.reconstruct);

  Stopwatch stage;
  Scan scan = read_scan(options.scan, machine);
  const GivenArrays given = read_given_arrays(options.scan);
  RunFacts facts;
  facts.read_seconds = stage.lap();
  machine.ctx.throw_if_cancelled();
  machine.console->note(describe(options));

  const auto wisdom = open_wisdom(options.wisdom, options.scan.reconstruct.tune, *machine.console);
  const Reconstruction result = reconstruct(std::move(scan), options.scan.reconstruct, machine.ctx);

  stage.lap();
  for (const std::string& output : options.outputs) {
    machine.ctx.throw_if_cancelled();
    const WrittenFiles written = write_images(output, result.series, options.overwrite);
    for (const std::string& warning : written.warnings) machine.console->warning(warning);
    if (options.scan.reconstruct.replicas == 0) continue;
    const ImageSeries* maps[] = {&result.quality.deviation, &result.quality.signal_to_noise,
                                 &result.quality.g_factor};
    for (std::size_t i = 0; i < std::size(maps); ++i)
      if (!maps[i]->images.empty())
        write_images(with_suffix(output, quality_suffixes[i]), *maps[i], options.overwrite);
  }
  checkpoint.remove();
  facts.write_seconds = stage.lap();
  facts.total_seconds = total.seconds();
  for (const auto& [name, seconds] : result.report.seconds)
    machine.console->detail(fmt::format("{}: {:.3f} s", name, seconds));
  machine.console->note(fmt::format("{} image(s) in {:.2f} s (read {:.2f} s, write {:.2f} s)",
                                    result.series.images.size(), facts.total_seconds, facts.read_seconds,
                                    facts.write_seconds));
  if (options.report.empty()) return;

  facts.command = session.command;
  facts.device = machine.ctx.device().to_string();
  facts.threads = machine.ctx.threads();
  facts.fov_shift_applied = options.scan.reconstruct.prepare.apply_fov_shift;
  facts.outputs = options.outputs;
  facts.warnings = machine.console->warnings();
  write_text(options.report, run_report(facts, result), options.overwrite);
}

}  // namespace

void add_run(CLI::App& recon, Session& session) {
  CLI::App* command = recon.add_subcommand("run", "Reconstruct images from a scan");
  command->footer(
      "Examples:\n"
      "  recon run scan.h5 -o image.nii.gz\n"
      "  recon run scan.h5 -o image.h5 -o image.png --regularizer l2:1e-3 --iterations 50 --report "
      "report.json");
  auto options = std::make_shared<RunOptions>();
  declare(*command, *options);
  command->parse_complete_callback(
      [options, &session] { session.action = [options, &session] { run(*options, session); }; });
}

}  // namespace larmor::app
