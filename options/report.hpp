#pragma once

#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <string>
#include <vector>

namespace larmor::app {

/// Contents of `recon run --report` besides the library's report.
struct RunFacts {
  std::vector<std::string> command;
  std::string scan;  ///< name of the file without its folder; empty: unknown
  std::string device;
  int threads = 0;
  double read_seconds = 0, start_seconds = 0;  ///< wait for the device after reading
  double write_seconds = 0, total_seconds = 0;
  std::vector<std::string> outputs;
  std::vector<std::string> warnings;
};

/// report.json of a run. Numbers that do not apply or are unknown are null.
std::string run_report(const RunFacts& facts, const Reconstruction& result);

}  // namespace larmor::app
