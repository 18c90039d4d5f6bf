#pragma once

#include <larmor/apps/session.hpp>
#include <larmor/io/wisdom_file.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace larmor::app {

/// Where wisdom is kept.
struct WisdomOptions {
  std::string file;  ///< empty: the user's own
};

/// --tune and --wisdom of the commands that reconstruct, in this order.
std::vector<CLI::Option*> add_tune_level(CLI::App& app, TuneOptions& tune, WisdomOptions& wisdom);
/// --wisdom
CLI::Option* add_wisdom(CLI::App& app, WisdomOptions& wisdom);
/// Points tune.wisdom at the file unless nothing is going to be asked of it; keep the result alive meanwhile.
/// Without a place for the file nothing is remembered.
std::unique_ptr<WisdomFile> open_wisdom(const WisdomOptions& options, TuneOptions& tune, Console& console);
/// The file that the options mean; throws Error (usage) when there is no place for it.
std::string wisdom_path(const WisdomOptions& options);

}  // namespace larmor::app
