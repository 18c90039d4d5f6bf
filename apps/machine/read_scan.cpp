#include <larmor/apps/machine/read_scan.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace larmor::app {
namespace {

// True if there are readouts of an object and all their samples are zero.
bool all_zero(const Scan& scan) {
  bool any = false;
  for (const Readout& readout : scan.readouts) {
    const std::size_t count = std::size_t{readout.header.samples} * readout.header.active_channels;
    if (readout.header.has(AcquisitionFlag::noise) || !scan.has_samples(readout)) continue;
    any = true;
    const auto* first = scan.samples(readout);
    if (std::any_of(first, first + count, [](const auto& sample) { return sample != 0.0F; })) return false;
  }
  return any;
}

}  // namespace

Scan read_scan(const ScanOptions& options, Machine& machine) {
  std::error_code unknown;
  const std::uintmax_t bytes =
      std::filesystem::file_size(options.scan.empty() ? options.kspace_file : options.scan, unknown);
  if (!unknown) machine.expect_reading(bytes);
  Scan scan;
  try {
    scan = read_scan_files(options, {.group = "",
                                     .memory_limit = machine.ctx.memory_limit(),
                                     .workers = &machine.ctx,
                                     .cancel = machine.cancel});
  } catch (const Error&) {
    machine.require_device();  // errors of the command line are reported before those of files
    throw;
  }
  for (const std::string& warning : scan.warnings) machine.console->warning(warning);
  if (!is_trajectory_alone(options) && all_zero(scan))
    machine.console->warning(scan.source + ": every sample is zero, so the result is zero too");
  for (const std::string& note : scan.notes) machine.console->detail(note);
  machine.console->progress("prepare", 0, 0, "");
  return scan;
}

}  // namespace larmor::app
