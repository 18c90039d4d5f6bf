#include <larmor/apps/commands.hpp>
#include <larmor/apps/options.hpp>
#include <larmor/apps/outputs.hpp>
#include <larmor/apps/scan_options.hpp>
#include <larmor/io/formats.hpp>

#include <fmt/format.h>

namespace larmor::app {
namespace {

struct MapsOptions {
  ScanOptions scan;
  std::string output;
  bool overwrite = false;
};

void maps(MapsOptions& options, const Session& session) {
  Machine machine(options.scan.machine, session);
  check_targets({{options.output, Content::array}}, options.overwrite, options.scan.inputs());
  Scan scan = read_scan(options.scan, machine);
  const GivenArrays given = read_given_arrays(options.scan);
  const EstimatedMaps estimated = estimate_maps(std::move(scan), options.scan.reconstruct, machine.ctx);
  machine.ctx.throw_if_cancelled();
  write_array(options.output, estimated.maps.view(), options.overwrite);
  machine.console->note(
      fmt::format("coil maps {} in {}", estimated.maps.shape().to_string(), options.output));
}

}  // namespace

void add_maps(CLI::App& recon, Session& session) {
  CLI::App* command = recon.add_subcommand("maps", "Estimate coil maps from a scan");
  command->footer(
      "Example: recon maps scan.h5 -o maps.npy && recon run scan.h5 --maps maps.npy -o image.nii.gz");
  auto options = std::make_shared<MapsOptions>();
  add_text(*command, "-o,--output", "OUT",
           "coil maps [(sets,)coils,(z,)y,x] in the scan's channels, root sum of squares 1 (.npy or .cfl)",
           options->output)
      ->required();
  command->add_flag("--overwrite", options->overwrite, "replace an output that exists");
  add_coil_options(*command, options->scan);
  add_scan_options(*command, options->scan);
  command->callback(
      [options, &session] { session.action = [options, &session] { maps(*options, session); }; });
}

}  // namespace larmor::app
