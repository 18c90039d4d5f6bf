#include <larmor/apps/commands/run.hpp>
#include <larmor/apps/machine/rank_options.hpp>
#include <larmor/apps/machine/read_scan.hpp>
#include <larmor/apps/machine/wisdom_options.hpp>
#include <larmor/apps/output/checkpoint.hpp>
#include <larmor/apps/output/html_report.hpp>
#include <larmor/apps/output/outputs.hpp>
#include <larmor/apps/output/trace.hpp>
#include <larmor/core/communicator/launched.hpp>
#include <larmor/core/communicator/nccl.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/target.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/mri/reconstruct/options/rules.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/options/reconstruction/reconstruct_options.hpp>
#include <larmor/options/reconstruction/vendor_scan.hpp>
#include <larmor/options/report.hpp>
#include <larmor/options/words/values.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace larmor::app {
namespace {

struct RunOptions {
  ScanOptions scan;
  std::vector<std::string> scans;
  std::string gpus;  // the value of --gpus
  WisdomOptions wisdom;
  std::vector<std::string> outputs;
  std::string report, trace;
  std::string checkpoint;
  Index checkpoint_every = 10;
  WriteOptions write;
  bool resume = false;
};

/// Files of --replicas beside OUT.
constexpr std::array<const char*, 3> quality_suffixes{"-sd", "-snr", "-g"};

void add_output_options(Command& command, RunOptions& options) {
  ReconstructOptions& reconstruct = options.scan.reconstruct;
  command
      .values(
          "-o,--output", "OUT",
          "image file (repeatable); the extension selects the format: " + extensions_for(FormatUse::images) +
              ". {name} in this and other output names is replaced by the scan's name",
          [&options](const std::string& text) {
            if (text.empty()) throw usage_error("the value is empty");
            options.outputs.push_back(text);
          })
      .required = true;
  command.flag("-f,--overwrite", "replace outputs that exist", options.write.overwrite);
  command.flag("--resume", "skip scans whose outputs all exist; replace reports and traces of the others",
               options.resume);
  command.text("--report", "FILE", "write a report: JSON, or a web page (.html)", options.report);
  command.flag("--json", "print the JSON report", options.scan.machine.json);
  command.text("--trace", "FILE", "write a timeline of all stages in Chrome's trace format", options.trace);
  command.flag("--bids", "write a BIDS sidecar (.json) beside each NIfTI image", options.write.sidecar);
  command.value(
      "--frame-time", "S",
      "time between the images of a series in seconds, for NIfTI and --bids (default: unknown)",
      [&options](const std::string& text) { options.write.frame_seconds = number_in(text, 1e-6, 1e6); });
  command.flag("--keep-patient",
               "keep the patient's name, dates and places in DICOM and --bids (default: anonymous; .h5 "
               "images, and scans that recon convert writes, always keep the scan's header)",
               options.write.keep_patient);
  const auto add_kind = [&](const char* name, ImageKind kind, const char* help) {
    command.flag(name, help, [&reconstruct, kind] { reconstruct.output.kind = kind; });
  };
  add_kind("--magnitude", ImageKind::magnitude, "magnitude images (the default)");
  add_kind("--phase", ImageKind::phase, "phase images, in radians");
  add_kind("--complex", ImageKind::complex, "complex images");
  command.exclude({"--magnitude", "--phase", "--complex"});
}

/// Summary before the work starts, so that defaults are visible.
std::string describe(const RunOptions& options) {
  const ReconstructOptions& reconstruct = options.scan.reconstruct;
  if (reconstruct.solve.gridding) return "gridding: one adjoint with density weights";
  const std::string until =
      reconstruct.solve.tolerance > 0
          ? fmt::format(" or until the gradient falls below {}", reconstruct.solve.tolerance)
          : "";
  const Solver solver = reconstruct.solve.solver;
  // An automatic choice is reported later, with its reason.
  const std::string method = solver == Solver::automatic ? "" : fmt::format("solver {}: ", to_string(solver));
  if (reconstruct.solve.automatic)
    return fmt::format("{}the least error expected, up to {} iterations{}, NUFFT tolerance {}", method,
                       iterations_of(reconstruct.solve), until, reconstruct.transform.tolerance);
  const auto& terms = reconstruct.solve.regularizers;
  const bool converges = knows_its_distance(solver) && reconstruct.solve.iterations == 0 && !terms.empty() &&
                         std::all_of(terms.begin(), terms.end(), is_quadratic);
  return fmt::format("{}{} iterations{}{}, regularizer {}, NUFFT tolerance {}", method,
                     iterations_of(reconstruct.solve), converges ? " at most, until it converges" : "", until,
                     to_string(reconstruct.solve.regularizers), reconstruct.transform.tolerance);
}

/// The images whose phase was constrained, or "".
std::string constrained_of(const ReconstructionReport& report) {
  const auto count = std::count_if(report.images.begin(), report.images.end(),
                                   [](const ImageReport& image) { return image.phase_points > 0; });
  const bool all = count == std::ssize(report.images);
  return count == 0 ? "" : all ? ", smooth phase" : fmt::format(", smooth phase in {} images", count);
}

/// The encoded pixels if they are not the image's: an interpolated or coarser image, or a wrong header.
std::string encoded_otherwise(const ScanPlan& plan, int axes) {
  // Generated spokes have the step of x in all directions.
  const bool spokes = plan.layout.source == TrajectoryLayout::Source::generated &&
                      plan.reading.generate != GeneratedTrajectory::cartesian;
  std::string sizes;
  bool other = false;
  for (int axis = 0; axis < (spokes ? 1 : axes); ++axis) {
    other = other || std::abs(plan.grids.k_scale[static_cast<std::size_t>(axis)] - 1) > 1e-3;
    sizes += fmt::format("{}{:.4g}", axis > 0 ? " × " : "", plan.grids.encoded.pixel(axis));
  }
  return other ? fmt::format("; encoded pixels of {} mm", sizes) : "";
}

/// The smallest and largest number of an image's readouts.
std::pair<std::size_t, std::size_t> readouts_of_images(const ScanPlan& plan) {
  std::size_t least = std::numeric_limits<std::size_t>::max(), most = 0;
  for (const PlannedImage& image : plan.images) {
    least = std::min(least, image.readouts.size());
    most = std::max(most, image.readouts.size());
  }
  return {least, most};
}

/// The largest part of the data that an image leaves unexplained, or "".
std::string unexplained_of(const ReconstructionReport& report) {
  const ImageReport* worst = nullptr;
  for (const ImageReport& image : report.images)
    if (!std::isnan(image.unexplained) && (!worst || image.unexplained > worst->unexplained)) worst = &image;
  if (!worst) return "";
  const std::string noise =
      std::isnan(worst->noise) ? "" : fmt::format(", noise {:.2g} %", 100 * worst->noise);
  return fmt::format("{}{:.2g} % of the data unexplained{}", report.images.size() > 1 ? "at most " : "",
                     100 * worst->unexplained, noise);
}

/// Lines about the images: size, method and expected error.
std::vector<std::string> summary_of(const Reconstruction& result) {
  const ReconstructionReport& report = result.report;
  const ScanPlan& plan = result.selection.plan;
  std::vector<std::string> lines;
  if (!result.series.images.empty()) {
    const Image& image = result.series.images.front();
    const Shape& shape = image.pixels.shape();
    const int axes = shape[shape.rank() - 3] > 1 ? 3 : 2;
    std::string pixels, fov;
    for (int axis = 0; axis < axes; ++axis) {
      const char* times = axis > 0 ? " × " : "";
      pixels += fmt::format("{}{}", times, shape[shape.rank() - 1 - axis]);
      fov += fmt::format("{}{:.4g}", times, image.geometry.fov_mm[static_cast<std::size_t>(axis)]);
    }
    lines.push_back(fmt::format("image {}, {} mm{}", pixels, fov, encoded_otherwise(plan, axes)));
  }
  if (const auto [least, most] = readouts_of_images(plan); least < most)
    lines.push_back(fmt::format("images of {} to {} readouts", least, most));
  const std::string terms = report.solution.expectation
                                ? "least expected error"
                                : "regularizer " + to_string(report.solution.regularizers);
  lines.push_back(report.solution.solver == "gridding"
                      ? fmt::format("gridding, density {}, coil maps {}", report.density, report.calibration)
                      : fmt::format("{}, {}, density {}, coil maps {}{}", report.solution.solver, terms,
                                    report.density, report.calibration, constrained_of(report)));
  std::string left_out;
  for (const auto& [kind, count] : plan.skipped)
    if (kind != "noise") left_out += fmt::format(", {} {} readouts", count, kind);
  if (plan.trimmed_samples > 0) left_out += fmt::format(", {} discarded samples", plan.trimmed_samples);
  // An image coarser than the encoded matrix leaves out samples on purpose.
  const auto& scale = plan.grids.k_scale;
  if (plan.layout.source == TrajectoryLayout::Source::generated && plan.dropped_samples() > 0 &&
      std::none_of(scale.begin(), scale.end(), [](double s) { return s > 1 + 1e-6; }))
    left_out += fmt::format(", {} samples beyond the encoded matrix", plan.dropped_samples());
  if (!left_out.empty()) lines.push_back("not in the image, by the header:" + left_out.substr(1));
  // Nothing else in a file reveals a wrong flag.
  for (const std::string& note : plan.notes)
    if (note.starts_with("reversed readouts")) lines.push_back(note);
  if (report.solution.expectation && !report.solution.expectation->noise_alone) {
    const Expectation& first = *report.solution.expectation;
    lines.push_back(fmt::format(
        "expected error {:.2g} % of the magnitude, resolution {:.2f} pixels; {:.2g} % of the data "
        "unexplained, "
        "noise {:.2g} %",
        100 * first.error(), first.expected.transfer.resolution, 100 * first.unexplained, 100 * first.noise));
  } else if (const std::string unexplained = unexplained_of(report); !unexplained.empty()) {
    lines.push_back(unexplained);
  }
  return lines;
}

/// Warns of options without effect: for kinds of files that are not written, maps that are not used, several
/// processes for one image.
void warn_without_effect(const RunOptions& options, const Ranks& among, Console& console) {
  const auto any = [&](FormatUse use) {
    return std::any_of(options.outputs.begin(), options.outputs.end(),
                       [&](const std::string& output) { return is_for(use, output); });
  };
  const auto without_effect = [&](const char* option, FormatUse use, const char* also = "") {
    console.warning(fmt::format("{} has no effect: it applies to images written as {}{}, and there are none",
                                option, extensions_for(use), also));
  };
  if (options.write.frame_seconds > 0 && !any(FormatUse::frame_times))
    without_effect("--frame-time", FormatUse::frame_times);
  const bool described = options.write.sidecar && any(FormatUse::description);
  if (options.write.sidecar && !described) without_effect("--bids", FormatUse::description);
  if (options.write.keep_patient && !described && !any(FormatUse::patient))
    without_effect("--keep-patient", FormatUse::patient, " or with --bids");
  const ReconstructOptions& reconstruct = options.scan.reconstruct;
  for (const auto& [name, file] : {std::pair{"--maps", options.scan.maps_file},
                                   std::pair{"--calibration", options.scan.calibration_file}})
    if (!file.empty() && reconstruct.coils.combine != Combine::sense)
      console.warning(fmt::format("{} has no effect: --combine {} takes no coil maps", name,
                                  to_string(reconstruct.coils.combine)));
  if (!among.communicator && reconstruct.ranks.split != Split::automatic)
    console.warning("--split has no effect: nothing is shared among GPUs (--gpus) or processes (mpirun)");
}

// The images are already written: a failed report must not be an error.
void write_optional(const std::string& file, const std::string& text, const RunOptions& options,
                    Machine& machine) {
  try {
    write_text(file, text, options.write.overwrite || options.resume);
  } catch (const Error& error) {
    machine.console->warning(error.what());
  }
}

/// The report as a file, on stdout, or both.
void write_report(const RunOptions& options, const Session& session, Machine& machine, RunFacts& facts,
                  const Reconstruction& result) {
  facts.command = session.command;
  const ScanOptions& scan = options.scan;
  facts.scan = std::filesystem::path(scan.scan.empty() ? scan.kspace_file : scan.scan).filename().string();
  facts.threads = machine.ctx.threads();
  facts.outputs = options.outputs;
  facts.warnings = machine.console->warnings();
  std::string text = run_report(facts, result);
  if (options.scan.machine.json) print_out(text);
  if (options.report.empty()) return;
  if (options.report.ends_with(".html")) {
    std::vector<std::string> lost;
    text = html_report(text, machine.console->notes(), result, lost);
    for (const std::string& line : lost) machine.console->warning(line);
  }
  write_optional(options.report, text, options, machine);
}

// Times of the command's own stages in addition to those of the reconstruction, and the start of the device
// in parallel.
void write_trace(const RunOptions& options, Machine& machine, const Stopwatch& total, const RunFacts& facts,
                 const Reconstruction& result) {
  using Clock = std::chrono::steady_clock;
  const auto after = [](Clock::time_point begin, double seconds) {
    return begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  const std::vector<StageSpan>& stages = result.report.times.timeline;
  const Clock::time_point origin = total.started(), begun = stages.empty() ? origin : stages.front().begin,
                          done = stages.empty() ? origin : stages.back().end;
  const Clock::time_point waiting = after(begun, -facts.start_seconds);
  TraceRow command{"recon run", {{"read", origin, waiting}, {"start", waiting, begun}}};
  command.spans.insert(command.spans.end(), stages.begin(), stages.end());
  command.spans.push_back({"write", done, after(done, facts.write_seconds)});
  const DeviceStart::Times start = machine.device_start();
  write_optional(options.trace, trace_of(origin, {command, {"device", {{"start", start.begin, start.end}}}}),
                 options, machine);
}

// The files of all scans: those of later scans must not be overwritten either.
std::vector<std::string> inputs_of(const RunOptions& options, const Session& session) {
  std::vector<std::string> files = options.scan.inputs();
  for (const std::string& scan : options.scans)
    for (std::string& file : files_of_scan(scan)) files.push_back(std::move(file));
  return all_inputs(std::move(files), session);
}

std::vector<Target> targets_of(const RunOptions& options) {
  std::vector<Target> targets;
  for (const std::string& output : options.outputs) {
    targets.push_back({output, Content::images, options.write.sidecar});
    if (options.scan.reconstruct.output.replicas == 0) continue;
    for (const char* suffix : quality_suffixes)
      targets.push_back({with_suffix(output, suffix), Content::images});
  }
  for (const std::string& text : {options.report, options.trace})
    if (!text.empty()) targets.push_back({text, Content::text, false, options.resume});
  if (!options.checkpoint.empty()) targets.push_back({options.checkpoint, Content::checkpoint});
  if (!options.wisdom.file.empty()) targets.push_back({options.wisdom.file, Content::wisdom});
  return targets;
}

void run(RunOptions& options, const Session& session, const Ranks& among) {
  const Stopwatch total;
  take_place(options.gpus, among, options.scan.machine);
  Machine machine(options.scan.machine, session, !among.communicator);
  const bool writes = among.leads();
  if (writes)
    check_targets(targets_of(options), options.write.overwrite, inputs_of(options, session),
                  machine.console.get());
  if (writes) warn_without_effect(options, among, *machine.console);
  const CheckpointFile checkpoint(options.checkpoint, *machine.console);
  if (!options.checkpoint.empty()) options.scan.reconstruct.solve.checkpoint_every = options.checkpoint_every;
  checkpoint.connect(options.scan.reconstruct);
  if (!writes) options.scan.reconstruct.solve.checkpoint = {};
  const auto wisdom =
      open_optional_wisdom(options.wisdom, options.scan.reconstruct.transform.tune, *machine.console);

  Stopwatch stage;
  GivenArrays given = read_given_arrays(options.scan);
  check_rules(options.scan.reconstruct);
  Scan scan = read_scan(options.scan, machine);
  RunFacts facts;
  facts.read_seconds = stage.lap();
  const Workload work = workload_of(scan, options.scan.reconstruct);
  machine.take_device(work);
  machine.console->expect(predicted_stages(work, machine.ctx.threads(), machine.ctx.on_gpu()));
  facts.start_seconds = stage.lap();
  const std::shared_ptr<Communicator> ranks = connected(among, machine.ctx.device());
  options.scan.reconstruct.ranks.communicator = ranks;
  place_given_arrays(given, options.scan, scan, machine.ctx);
  Array<std::complex<float>> other_maps;
  if (!options.scan.calibration_file.empty()) {
    other_maps = maps_of_calibration_file(options.scan, scan, machine.ctx, machine.cancel);
    options.scan.reconstruct.coils.maps = other_maps.view();
  }
  facts.read_seconds += stage.lap();
  machine.ctx.throw_if_cancelled();
  machine.console->note(describe(options));
  options.scan.reconstruct.output.first_model = options.report.ends_with(".html");

  const Reconstruction result = reconstruct(std::move(scan), options.scan.reconstruct, machine.ctx);

  if (ranks) gather_warnings(*ranks, *machine.console);
  if (!writes) return;
  stage.lap();
  facts.device = machine.ctx.device().to_string();
  // Ranks exchange data through their devices to the end; with several scans the next one needs the device.
  const bool wanted = ranks || options.scans.size() > 1 || options.scan.reconstruct.output.first_model;
  std::size_t bytes = 0;
  for (const Image& image : result.series.images) bytes += image.pixels.view().bytes();
  // Smaller outputs are written before a GPU would be released, which takes about as long.
  constexpr std::size_t takes_long = std::size_t{8} << 20;
  other_maps = {};
  if (!wanted && bytes >= takes_long) machine.let_go_of_device();
  machine.console->progress("write", 0, 0, "");
  options.write.threads = machine.ctx.threads();
  for (const std::string& output : options.outputs) {
    machine.ctx.throw_if_cancelled();
    const WrittenFiles written = write_images(output, result.series, options.write);
    for (const std::string& warning : written.warnings) machine.console->warning(warning);
    if (written.lacks_frame_time) machine.console->say("the time between images is given by --frame-time");
    if (options.scan.reconstruct.output.replicas == 0) continue;
    const ImageSeries* maps[] = {&result.quality.deviation, &result.quality.signal_to_noise,
                                 &result.quality.g_factor};
    for (std::size_t i = 0; i < std::size(maps); ++i)
      if (!maps[i]->images.empty())
        write_images(with_suffix(output, quality_suffixes[i]), *maps[i],
                     {.overwrite = options.write.overwrite, .threads = options.write.threads});
  }
  checkpoint.remove();
  facts.write_seconds = stage.lap();
  facts.total_seconds = total.seconds();
  for (const auto& [name, seconds] : result.report.times.seconds)
    machine.console->detail(fmt::format("{}: {:.3f} s", name, seconds));
  for (const std::string& line : summary_of(result)) machine.console->say(line);
  machine.console->say(fmt::format("{} in {:.2f} s (read {:.2f} s, write {:.2f} s)",
                                   counted(result.series.images.size(), "image"), facts.total_seconds,
                                   facts.read_seconds, facts.write_seconds));
  if (!options.report.empty() || options.scan.machine.json)
    write_report(options, session, machine, facts, result);
  if (!options.trace.empty()) write_trace(options, machine, total, facts, result);
}

/// Written by this process, or by all ranks of it.
void run(const RunOptions& options, const Session& session) {
  if (!options.gpus.empty()) set_nccl_environment(options.scan.machine.deterministic);
  run_as_ranks(options.gpus, session, [&](const Ranks& among) {
    RunOptions own = options;
    run(own, session, among);
  });
}

/// The scan's file without folder and ".h5".
std::string name_of(const std::string& scan) {
  std::string name = std::filesystem::path(scan).stem().string();
  if (name == "." || name == "..") throw usage_error("{{name}} of {} would give the folder {}", scan, name);
  return name;
}

/// With {name} replaced by the scan's name.
std::string named(std::string text, const std::string& scan) {
  static constexpr std::string_view place = "{name}";
  for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos;) {
    const std::string name = name_of(scan);
    text.replace(at, place.size(), name);
    at += name.size();
  }
  return text;
}

/// Options for one scan of several, or the only one.
RunOptions for_scan(RunOptions options, const std::string& scan) {
  options.scan.scan = scan;
  const std::string& source = scan.empty() ? options.scan.kspace_file : scan;
  for (std::string& output : options.outputs) output = named(output, source);
  for (std::string* file : {&options.report, &options.trace, &options.checkpoint})
    *file = named(*file, source);
  return options;
}

/// Outputs of different scans must not have the same name.
void check_several(const RunOptions& options) {
  if (!options.gpus.empty() || !launcher_of_this_process().empty())
    throw usage_error(
        "several scans are reconstructed one after the other by one process: leave out --gpus, and do not "
        "use mpirun");
  std::vector<std::string> files = options.outputs;
  for (const std::string& file : {options.report, options.trace, options.checkpoint})
    if (!file.empty()) files.push_back(file);
  for (const std::string& file : files) {
    std::map<std::string, std::string> writers;
    for (const std::string& scan : options.scans) {
      const auto [other, first] = writers.emplace(named(file, scan), scan);
      if (!first)
        throw usage_error(
            "{} would be written for both {} and {}; use the scan's name in it, such as {{name}}.nii.gz",
            other->first, other->second, scan);
    }
  }
}

/// Scans in order; a failure does not stop the following ones.
void run_all(const RunOptions& options, const Session& session) {
  if (options.scans.size() > 1) check_several(options);
  std::vector<std::string> scans = options.scans, failed;
  if (scans.empty()) scans.emplace_back();
  Index done = 0, left_out = 0;
  std::optional<ErrorClass> first_failure;
  Console console(options.scan.machine.quiet, options.scan.machine.verbose);
  for (const std::string& scan : scans) {
    const RunOptions one = for_scan(options, scan);
    const bool there = std::all_of(one.outputs.begin(), one.outputs.end(), [&](const std::string& output) {
      const std::vector<std::string> files = files_of(output, one.write.sidecar);
      return std::all_of(files.begin(), files.end(), [](const std::string& file) {
        std::error_code missing;
        return std::filesystem::exists(file, missing);
      });
    });
    if (options.resume && there) {
      console.say(fmt::format("{}: skipped, its outputs exist", scan));
      ++left_out;
      continue;
    }
    if (scans.size() == 1) return run(one, session);
    console.say(fmt::format("{} ({} of {})", scan, done + left_out + static_cast<Index>(failed.size()) + 1,
                            scans.size()));
    try {
      run(one, session);
      ++done;
    } catch (...) {
      if (session.cancel != nullptr && *session.cancel) throw;
      const ErrorClass status = session.complain();
      if (!first_failure) first_failure = status;
      failed.push_back(scan);
    }
  }
  if (scans.size() == 1) return;
  console.say(fmt::format("{} of {} scans reconstructed, {} skipped", done, scans.size(), left_out));
  if (first_failure)
    throw Error(*first_failure, fmt::format("{} of {} scans could not be reconstructed: {}", failed.size(),
                                            scans.size(), fmt::join(failed, ", ")));
}

}  // namespace

Command run_command() {
  Command command(
      "run", "Reconstruct images from a scan",
      "Examples:\n"
      "  recon run scan.h5 -o image.nii.gz\n"
      "  recon run scan.h5 -o image.h5 -o image.png --regularizer wavelet:auto --report report.html\n"
      "  recon run --kspace k.npy --trajectory t.npy --matrix 160 -o image.nii.gz\n"
      "  recon run *.h5 -o out/{name}.nii.gz --resume");
  command.details("Terms of --regularizer, with their keys:\n" + regularizer_help() + "\n");
  const auto options = std::make_shared<RunOptions>();
  ReconstructOptions& reconstruct = options->scan.reconstruct;
  add_output_options(command, *options);
  add_iteration_options(command, reconstruct);
  command.text("--checkpoint", "FILE",
               "save the solver's state in FILE, and resume from it if it exists; it is removed at the end",
               options->checkpoint);
  command.count("--checkpoint-every", "iterations between two checkpoints", options->checkpoint_every, 1,
                1000000);
  add_transform_options(command, reconstruct);
  add_wisdom(command, options->wisdom);
  add_model_options(command, options->scan);
  add_scan_options(command, options->scan);
  add_kspace_options(command, options->scan);
  add_rank_options(command, options->gpus, reconstruct);
  add_quality_options(command, reconstruct);
  add_physics_options(command, options->scan);
  add_reconstruction_rules(command, reconstruct);
  command.require("--checkpoint-every", "--checkpoint");
  command.usual({"--output",     "--overwrite",  "--report",     "--complex", "--regularizer", "--solver",
                 "--iterations", "--density",    "--calibrate",  "--maps",    "--combine",     "--matrix",
                 "--fov",        "--trajectory", "--traj-units", "--kspace",  "--delay",       "--slice",
                 "--window",     "--device",     "--threads",    "--quiet",   "--verbose"});
  // Several scans, of which add_scan_options() handles one.
  Option& scan = command.option("SCAN");
  scan.kind = Option::Kind::words;
  scan.help = "ISMRMRD files with raw data; if one fails, the others are still reconstructed";
  scan.take = [options](const std::string& text) {
    options->scan.scan = text;
    options->scans.push_back(text);
  };
  command.action = [options](const Session& session) { run_all(*options, session); };
  return command;
}

}  // namespace larmor::app
