#include <larmor/apps/commands/density.hpp>
#include <larmor/apps/machine/read_scan.hpp>
#include <larmor/apps/output/outputs.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/mri/reconstruct/steps/weigh.hpp>

namespace larmor::app {
namespace {

struct DensityOptions {
  ScanOptions scan;
  std::string output;
  bool overwrite = false;
};

void density(DensityOptions& options, const Session& session) {
  Machine machine(options.scan.machine, session);
  check_targets({{options.output, Content::array}}, options.overwrite,
                all_inputs(options.scan.inputs(), session));
  const Scan scan = read_scan(options.scan, machine);
  const GivenArrays given = read_given_arrays(options.scan);
  machine.take_device();
  const EstimatedDensity estimated = estimate_density(scan, options.scan.reconstruct, machine.ctx);
  machine.ctx.throw_if_cancelled();
  write_array(options.output, estimated.weights.view(), options.overwrite);
  machine.console->say(
      fmt::format("density weights {} in {}", estimated.weights.shape().to_string(), options.output));
  machine.print_result(session, {options.output});
}

}  // namespace

Command density_command() {
  Command command("density", "Compute density compensation weights of a scan",
                  "Example:\n"
                  "  recon density scan.h5 -o w.npy && recon run scan.h5 --density w.npy -o image.nii.gz");
  const auto options = std::make_shared<DensityOptions>();
  command.text("-o,--output", "OUT", "weights [samples], float64 (.npy)", options->output).required = true;
  command.flag("-f,--overwrite", "replace an output that exists", options->overwrite);
  add_result_option(command, options->scan.machine);
  add_density_option(command, options->scan, "pipe");
  add_scan_options(command, options->scan);
  take_trajectory_alone(command, options->scan);
  add_kspace_options(command, options->scan);
  command.action = [options](const Session& session) { density(*options, session); };
  return command;
}

}  // namespace larmor::app
