#pragma once

#include <larmor/options/words/options.hpp>

#include <vector>

namespace larmor::app {

/// All subcommands, in the order of the help; each is made by a file of its own.
std::vector<Command> all_commands();

}  // namespace larmor::app
