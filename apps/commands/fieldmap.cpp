#include <larmor/apps/commands/fieldmap.hpp>
#include <larmor/apps/machine/read_scan.hpp>
#include <larmor/apps/output/outputs.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/mri/reconstruct/estimated_field.hpp>
#include <larmor/options/reconstruction/reconstruct_options.hpp>
#include <larmor/options/words/values.hpp>

#include <algorithm>
#include <cmath>

namespace larmor::app {
namespace {

struct FieldmapOptions {
  ScanOptions scan;
  std::string output;
  std::vector<double> echo_times_ms;
  bool overwrite = false;
};

void fieldmap(FieldmapOptions& options, const Session& session) {
  Machine machine(options.scan.machine, session);
  check_targets({{options.output, Content::images}}, options.overwrite,
                all_inputs(options.scan.inputs(), session));
  Scan scan = read_scan(options.scan, machine);
  const GivenArrays given = read_given_arrays(options.scan);
  machine.take_device();
  Array<std::complex<float>> other_maps;
  if (!options.scan.calibration_file.empty()) {
    other_maps = maps_of_calibration_file(options.scan, scan, machine.ctx, machine.cancel);
    options.scan.reconstruct.coils.maps = other_maps.view();
  }
  const std::vector<double> of_header = echo_times_of_header(scan.xml_header);
  const std::vector<double>& times = options.echo_times_ms.empty() ? of_header : options.echo_times_ms;
  for (std::size_t e = 0; e < std::min(times.size(), of_header.size()); ++e)
    if (std::abs(times[e] - of_header[e]) > 0.01 * of_header[e]) {
      machine.console->warning(
          fmt::format("--echo-times: {:g} ms is used for contrast {}, the header has {:g} ms", times[e], e,
                      of_header[e]));
      break;
    }
  const ImageSeries maps = estimate_field_map(std::move(scan), options.scan.reconstruct, times, machine.ctx);
  const WrittenFiles written = write_images(options.output, maps, {.overwrite = options.overwrite});
  for (const std::string& warning : written.warnings) machine.console->warning(warning);
  machine.console->say(fmt::format("off-resonance in Hz in {}", options.output));
  machine.print_result(session, {options.output});
}

}  // namespace

Command fieldmap_command() {
  Command command("fieldmap", "Estimate off-resonance from echoes of a scan",
                  "Example:\n"
                  "  recon fieldmap echoes.h5 -o field.nii.gz && recon run scan.h5 --field-map field.nii.gz "
                  "-o image.nii.gz");
  const auto options = std::make_shared<FieldmapOptions>();
  command
      .text("-o,--output", "OUT", "off-resonance in Hz (" + extensions_for(FormatUse::images) + ")",
            options->output)
      .required = true;
  command.value("--echo-times", "MS,MS[,MS...]", "echo time of each contrast (default: from the header)",
                [options](const std::string& text) { options->echo_times_ms = echo_times_of(text); });
  command.flag("-f,--overwrite", "replace an output that exists", options->overwrite);
  add_result_option(command, options->scan.machine);
  ReconstructOptions& reconstruct = options->scan.reconstruct;
  add_iteration_options(command, reconstruct);
  add_transform_options(command, reconstruct);
  add_model_options(command, options->scan);
  add_scan_options(command, options->scan);
  add_kspace_options(command, options->scan);
  add_reconstruction_rules(command, reconstruct);
  command.action = [options](const Session& session) { fieldmap(*options, session); };
  return command;
}

}  // namespace larmor::app
