#pragma once

#include <larmor/options/words/options.hpp>

#include <vector>

namespace larmor::app {

/// Parses the command line, fills the options of the chosen command, and checks its rules. Prints help and
/// version. Returns the command, or nullptr if there is nothing left to do. Throws Error (usage) with a
/// one-line message.
const Command* read_command_line(std::vector<Command>& commands, int argc, char** argv);

}  // namespace larmor::app
