#pragma once

#include <larmor/apps/machine/machine.hpp>
#include <larmor/options/reconstruction/scan_files.hpp>

namespace larmor::app {

/// Reads the scan file, or makes a scan from arrays; its warnings go to the console. one_of_several: this
/// process is one of several ranks, which leaves samples in the file until it knows which of them it needs.
Scan read_scan(const ScanOptions& options, Machine& machine, bool one_of_several = false);

}  // namespace larmor::app
