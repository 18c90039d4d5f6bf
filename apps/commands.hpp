#pragma once

#include <larmor/options/words/options.hpp>

#include <vector>

namespace larmor::app {

/// All subcommands, in the order of the help; each is defined in its own file.
std::vector<Command> all_commands();

}  // namespace larmor::app
