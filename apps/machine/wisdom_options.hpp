#pragma once

#include <larmor/apps/output/console.hpp>
#include <larmor/io/wisdom_file.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>
#include <larmor/options/words/options.hpp>

#include <memory>
#include <string>

namespace larmor::app {

/// Location of the tuning results.
struct WisdomOptions {
  std::string file;  ///< empty: the user's default
};

/// --wisdom
void add_wisdom(Command& command, WisdomOptions& wisdom);
/// The file of tuning results named by the options. Throws Error: usage if there is no default location,
/// input if the named file is of another type or damaged.
std::unique_ptr<WisdomFile> open_wisdom(const WisdomOptions& options, Console& console);
/// Points tune.wisdom at the file unless it is not needed; keep the result alive meanwhile. Results that
/// cannot be stored are reported on the console, and the reconstruction goes on.
std::unique_ptr<Wisdom> open_optional_wisdom(const WisdomOptions& options, TuneOptions& tune,
                                             Console& console);

}  // namespace larmor::app
