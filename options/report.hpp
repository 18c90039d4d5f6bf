#pragma once

#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <string>
#include <vector>

namespace larmor::app {

/// What `recon run --report` writes besides what the library reports.
struct RunFacts {
  std::vector<std::string> command;
  std::string scan;  ///< name of the file without its folder; empty: not known
  std::string device;
  int threads = 0;
  double read_seconds = 0, start_seconds = 0;  ///< the device is waited for after reading
  double write_seconds = 0, total_seconds = 0;
  std::vector<std::string> outputs;
  std::vector<std::string> warnings;
};

/// report.json of a run. Numbers that do not apply or are not known are null.
std::string run_report(const RunFacts& facts, const Reconstruction& result);

}  // namespace larmor::app
