#pragma once

#include <larmor/options/words/options.hpp>

#include <map>
#include <string>
#include <vector>

namespace larmor::app {

inline constexpr const char* print_config = "--print-config";

/// --config and --print-config, which every command has.
void add_config_options(Command& command);

/// The configuration file of a command line: the value of --config, otherwise LARMOR_CONFIG in the
/// environment; empty: none.
std::string configuration_file(const std::vector<std::string>& words);

/// The words of a command line, with those of its configuration file inserted after the command's name, so
/// that the command line's own come later and take precedence. configuration_file() is TOML: "name = value"
/// with the names of options; lists for repeatable options; sections such as [run] for one command; entries
/// before them apply to every command that has the option. If a repeatable option is on the command line, the
/// file's values are ignored. Throws Error: input for files that cannot be read, usage for names that no
/// command has.
std::vector<std::string> with_configuration(std::vector<std::string> words,
                                            const std::vector<Command>& commands);

/// A configuration file with the options that a command was given; all others are listed as comments. values:
/// as given, by Option::names.
std::string configuration_of(const Command& command,
                             const std::map<std::string, std::vector<std::string>>& values);

}  // namespace larmor::app
