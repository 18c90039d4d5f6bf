#pragma once

#include <larmor/options/words/options.hpp>

#include <vector>

namespace larmor::app {

/// Prints the completion script of bash, zsh or fish, made from the options of all commands.
Command completion_command(std::vector<Command> (*all)());

}  // namespace larmor::app
