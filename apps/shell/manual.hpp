#pragma once

#include <larmor/options/words/options.hpp>

#include <vector>

namespace larmor::app {

/// Prints the manual page, made from the help texts of all commands.
Command manual_command(std::vector<Command> (*all)());

}  // namespace larmor::app
