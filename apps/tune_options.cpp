#include <larmor/apps/options.hpp>
#include <larmor/apps/tune_options.hpp>
#include <larmor/core/format_error.hpp>

namespace larmor::app {

CLI::Option* add_wisdom(CLI::App& app, WisdomOptions& wisdom) {
  return add_text(app, "--wisdom", "FILE", "where tuning is remembered (default: in the user's cache folder)",
                  wisdom.file);
}

std::vector<CLI::Option*> add_tune_level(CLI::App& app, TuneOptions& tune, WisdomOptions& wisdom) {
  CLI::Option* level = add_choice<TuneLevel>(
      app, "--tune", "how the Fourier transform is chosen (default estimate)", tune.level,
      {{"estimate", TuneLevel::estimate},
       {"measure", TuneLevel::measure},
       {"exhaustive", TuneLevel::exhaustive},
       {"wisdom", TuneLevel::wisdom_only}});
  return {level, add_wisdom(app, wisdom)};
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
