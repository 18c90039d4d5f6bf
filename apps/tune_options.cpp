#include <larmor/apps/tune_options.hpp>
#include <larmor/core/format_error.hpp>

namespace larmor::app {

void add_tune_level(Command& command, const std::string& name, TuneOptions& tune) {
  command.choice<TuneLevel>(
      name,
      "how the fastest Fourier transform is found. estimate: by a cost model, wisdom: as "
      "remembered; neither measures anything",
      tune.level,
      {{"estimate", TuneLevel::estimate},
       {"measure", TuneLevel::measure},
       {"exhaustive", TuneLevel::exhaustive},
       {"wisdom", TuneLevel::wisdom_only}});
}

void add_wisdom(Command& command, WisdomOptions& wisdom) {
  command.text("--wisdom", "FILE", "where tuning is remembered (default: in the user's cache folder)",
               wisdom.file);
}

std::string wisdom_path(const WisdomOptions& options) {
  const std::string path = options.file.empty() ? default_wisdom_path() : options.file;
  if (path.empty())
    throw usage_error(
        "there is no place for wisdom: neither XDG_CACHE_HOME nor HOME is set; give --wisdom FILE");
  return path;
}

std::unique_ptr<WisdomFile> open_wisdom(const WisdomOptions& options, TuneOptions& tune, Console& console) {
  if (tune.level == TuneLevel::estimate) return nullptr;
  auto wisdom = std::make_unique<WisdomFile>(wisdom_path(options), console);
  tune.wisdom = wisdom.get();
  return wisdom;
}

}  // namespace larmor::app
