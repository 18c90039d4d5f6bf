#include <larmor/apps/commands/maps.hpp>
#include <larmor/apps/machine/read_scan.hpp>
#include <larmor/apps/output/outputs.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/maps_file.hpp>
#include <larmor/mri/calibration/place_maps.hpp>
#include <larmor/mri/reconstruct/estimated_maps.hpp>

namespace larmor::app {
namespace {

struct MapsOptions {
  ScanOptions scan;
  std::string output;
  bool overwrite = false;
};

/// The maps that recon run would use.
EstimatedMaps maps_for(Scan scan, const ScanOptions& options, Machine& machine) {
  if (options.calibration_file.empty())
    return estimate_maps(std::move(scan), options.reconstruct, machine.ctx);
  EstimatedMaps result;
  result.maps = maps_of_calibration_file(options, scan, machine.ctx, machine.cancel);
  const ScanPlan plan = plan_scan(scan, prepare_options(options.reconstruct));
  result.geometry = slice_geometry(plan, plan.grids.solve);
  const int rank = plan.grids.solve_shape().rank() + (options.reconstruct.coils.sets > 1 ? 2 : 1);
  if (result.maps.shape().rank() == rank) result.geometry.resize(1);
  return result;
}

void maps(MapsOptions& options, const Session& session) {
  Machine machine(options.scan.machine, session);
  check_targets({{options.output, Content::maps}}, options.overwrite,
                all_inputs(options.scan.inputs(), session));
  Scan scan = read_scan(options.scan, machine);
  const GivenArrays given = read_given_arrays(options.scan);
  machine.take_device();
  const EstimatedMaps estimated = maps_for(std::move(scan), options.scan, machine);
  machine.ctx.throw_if_cancelled();
  const WrittenFiles written = write_coil_maps(options.output, estimated.maps, estimated.geometry,
                                               options.scan.reconstruct.coils.sets, options.overwrite);
  for (const std::string& warning : written.warnings) machine.console->warning(warning);
  machine.console->say(fmt::format("coil maps {} in {}", estimated.maps.shape().to_string(), options.output));
  machine.print_result(session, {options.output});
}

}  // namespace

Command maps_command() {
  Command command("maps", "Estimate coil maps from a scan",
                  "Example:\n"
                  "  recon maps scan.h5 -o maps.npy && recon run scan.h5 --maps maps.npy -o image.nii.gz");
  const auto options = std::make_shared<MapsOptions>();
  command
      .text("-o,--output", "OUT",
            "coil maps [(sets,) coils, (z,) y, x] in the scan's channels, root sum of squares 1 (" +
                extensions_for(FormatUse::maps) +
                "); .cfl has BART's dimensions. The position of .npy and .cfl maps is written to OUT.json",
            options->output)
      .required = true;
  command.flag("-f,--overwrite", "replace an output that exists", options->overwrite);
  add_result_option(command, options->scan.machine);
  add_coil_options(command, options->scan);
  add_calibration_option(command, options->scan);
  add_scan_options(command, options->scan);
  add_kspace_options(command, options->scan);
  command.action = [options](const Session& session) { maps(*options, session); };
  return command;
}

}  // namespace larmor::app
