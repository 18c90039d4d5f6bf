#pragma once

#include <larmor/options/words/options.hpp>

#include <vector>

namespace larmor::app {

/// Reads the words of the command line, fills the options of the command that they call, and checks its
/// rules. Help and version are printed. Returns the command; nullptr when there is nothing left to do. Throws
/// Error (usage), one line.
const Command* read_command_line(std::vector<Command>& commands, int argc, char** argv);

}  // namespace larmor::app
