#pragma once

#include <larmor/options/words/options.hpp>

#include <cstddef>
#include <string>

namespace larmor::app {

/// Options of every subcommand that computes something.
struct MachineOptions {
  std::string device = "auto";
  int threads = 0;
  std::size_t memory_limit = 0;
  bool deterministic = false;
  bool quiet = false;
  bool verbose = false;
  bool json = false;    ///< the result as JSON on stdout
  bool silent = false;  ///< no warnings either: another process prints the same ones
};
/// --device, --threads, --memory, --deterministic, --quiet, --verbose
void add_machine_options(Command& command, MachineOptions& options);

/// --json of commands that write files: print_result() prints it.
void add_result_option(Command& command, MachineOptions& options);

}  // namespace larmor::app
