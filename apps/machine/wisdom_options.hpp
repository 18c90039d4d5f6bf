#pragma once

#include <larmor/apps/output/console.hpp>
#include <larmor/io/wisdom_file.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>
#include <larmor/options/words/options.hpp>

#include <memory>
#include <string>

namespace larmor::app {

/// Where wisdom is kept.
struct WisdomOptions {
  std::string file;  ///< empty: the user's own
};

/// --wisdom
void add_wisdom(Command& command, WisdomOptions& wisdom);
/// The wisdom that the options mean. Throws Error: usage when there is no place for it, input when the file
/// that the user has named is something else or damaged.
std::unique_ptr<WisdomFile> open_wisdom(const WisdomOptions& options, Console& console);
/// Points tune.wisdom at the file unless nothing is going to be asked of it; keep the result alive meanwhile.
/// What cannot be stored there is told to the console, and the reconstruction goes on.
std::unique_ptr<Wisdom> open_optional_wisdom(const WisdomOptions& options, TuneOptions& tune,
                                             Console& console);

}  // namespace larmor::app
