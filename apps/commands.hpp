#pragma once

#include <larmor/apps/options.hpp>

#include <vector>

namespace larmor::app {

// One function and one file a subcommand.

Command run_command();
Command info_command();
Command simulate_command();
Command maps_command();
Command density_command();
Command psf_command();
Command tune_command();
Command compare_command();
Command bench_command();
/// The bash completion script, made from the options of all commands.
Command completion_command();

/// All of them, in the order of the help.
std::vector<Command> all_commands();

}  // namespace larmor::app
