#pragma once

#include <larmor/apps/machine/machine.hpp>
#include <larmor/options/reconstruction/scan_files.hpp>

namespace larmor::app {

/// Reads the scan file, or makes a scan from arrays; its warnings go to the console.
Scan read_scan(const ScanOptions& options, Machine& machine);

}  // namespace larmor::app
