#include <larmor/apps/machine/read_scan.hpp>
#include <larmor/core/data/imaging_flags.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <vector>

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

// True if every rank works on all readouts according to the headers: those of one image whose coils are
// divided.
bool all_are_wanted(const Scan& scan, const ReconstructOptions& options) {
  if (options.ranks.split != Split::automatic) return options.ranks.split == Split::coils;
  if (options.frames.divide_readouts()) return false;
  const Readout* first = nullptr;
  for (const Readout& readout : scan.readouts) {
    if (never_imaging(readout.header)) continue;
    if (first && readout.header.counters != first->header.counters) return false;
    if (!first) first = &readout;
  }
  return true;
}

}  // namespace

Scan read_scan(const ScanOptions& options, Machine& machine, bool one_of_several) {
  std::error_code unknown;
  const std::uintmax_t bytes =
      std::filesystem::file_size(options.scan.empty() ? options.kspace_file : options.scan, unknown);
  if (!unknown) machine.expect_reading(bytes);
  Scan scan;
  try {
    scan = read_scan_files(options, {.group = "",
                                     .memory_limit = machine.ctx.memory_limit(),
                                     .threads = machine.ctx.threads(),
                                     .cancel = machine.cancel,
                                     .on_demand = one_of_several});
    if (scan.in_file && all_are_wanted(scan, options.reconstruct)) {
      std::vector<std::size_t> all(scan.readouts.size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      Context host(Device::cpu(), {.threads = machine.ctx.threads()});
      read_samples(scan, all, host);
    }
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
