#pragma once

#include <larmor/options/words/options.hpp>

#include <vector>

namespace larmor::app {

/// Prints the manual page, made of the same texts as the help of all commands.
Command manual_command(std::vector<Command> (*all)());

}  // namespace larmor::app
