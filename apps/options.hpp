#pragma once

#include <larmor/apps/session.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/mri/scan/prepare.hpp>

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace larmor::app {

// Options of the command line. CLI11 splits the words; values are read here, strictly, so that every wrong
// value gives one line that names the option, the value and what was expected (Error, usage).

/// A number or count and the interval it must lie in, limits included.
double parse_number(std::string_view option, const std::string& text, double low, double high);
Index parse_count(std::string_view option, const std::string& text, Index low, Index high);
/// "64", "64,48" or "64,48,20".
std::vector<Index> parse_matrix(std::string_view option, const std::string& text);
std::vector<double> parse_lengths(std::string_view option, const std::string& text);

using Parse = std::function<void(const std::string&)>;
/// An option with one value that `parse` reads.
CLI::Option* add_parsed(CLI::App& app, const std::string& names, const std::string& type,
                        const std::string& help, Parse parse);
/// The same, repeatable.
CLI::Option* add_repeatable(CLI::App& app, const std::string& names, const std::string& type,
                            const std::string& help, Parse parse);
/// A text that must not be empty.
CLI::Option* add_text(CLI::App& app, const std::string& names, const std::string& type,
                      const std::string& help, std::string& target);
CLI::Option* add_number(CLI::App& app, const std::string& name, const std::string& help, double& target,
                        double low, double high);
CLI::Option* add_count(CLI::App& app, const std::string& name, const std::string& help, Index& target,
                       Index low, Index high);

/// An option whose value is one of a list of names.
template <typename T>
CLI::Option* add_choice(CLI::App& app, const std::string& name, const std::string& help, T& target,
                        std::vector<std::pair<std::string, T>> choices) {
  std::string names;
  for (const auto& choice : choices) names += (names.empty() ? "" : "|") + choice.first;
  return add_parsed(app, name, names, help, [&target, choices, names, name](const std::string& text) {
    for (const auto& choice : choices) {
      if (choice.first == text) {
        target = choice.second;
        return;
      }
    }
    throw usage_error("{} '{}' is not known: expected one of {}", name, text, names);
  });
}

/// The scan file, first positional argument.
void add_scan(CLI::App& app, std::string& path);
/// --device, --threads, --memory, --deterministic, --quiet, --verbose
void add_machine_options(CLI::App& app, MachineOptions& options);
/// --group, --slice, --contrast, --phase-index, --repetition, --set, --encoding
void add_selection_options(CLI::App& app, std::string& group, PrepareOptions& options);

}  // namespace larmor::app
