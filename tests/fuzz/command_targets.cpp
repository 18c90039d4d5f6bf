#include "fuzz/targets.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/apps/config_file.hpp>
#include <larmor/apps/serve/recipe_text.hpp>
#include <larmor/core/error.hpp>
#include <larmor/options/words/options.hpp>
#include <larmor/options/words/values.hpp>

#include <fstream>

namespace larmor::test::fuzz {
namespace {

// Options of each kind, with the values of `recon run` that are more than a number.
std::vector<app::Command> commands() {
  app::Command run("run", "", "");
  app::add_config_options(run);
  run.flag("--quiet", "", [] {});
  run.value("--matrix", "N", "", [](const std::string& text) { (void)app::matrix_of(text); });
  run.value("--fov", "MM", "", [](const std::string& text) { (void)app::lengths_of(text); });
  run.value("--slice", "A:B", "", [](const std::string& text) { (void)app::index_range_of(text); });
  run.value("--window", "N", "", [](const std::string& text) { (void)app::frame_window_of(text); });
  run.value("--echo-times", "MS", "", [](const std::string& text) { (void)app::echo_times_of(text); });
  run.values("--regularizer", "NAME", "", [](const std::string&) {});
  return {run};
}

}  // namespace

bool read_config_bytes(Bytes bytes) {
  static const TemporaryFolder folder;
  static const std::string file = folder / "larmor.toml";
  static const std::vector<app::Command> known = commands();
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return refused_or_read([&] {
    const std::vector<std::string> words = app::with_configuration({"run", "--config", file}, known);
    try {
      for (const std::string& word : words)
        for (const app::Option& option : known.front().options())
          if (const std::string name = option.names + "="; word.starts_with(name))
            option.take(word.substr(name.size()));
    } catch (const Error& error) {
      if (error.error_class() != ErrorClass::usage) throw;
      throw Error(ErrorClass::input, error.what());
    }
  });
}

bool read_recipe_bytes(Bytes bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return refused_or_read([&] { (void)app::recipe_values(text, "the text"); });
}

}  // namespace larmor::test::fuzz
