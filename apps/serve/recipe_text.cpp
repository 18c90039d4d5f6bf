#include <larmor/apps/serve/recipe_text.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/own_file.hpp>
#include <larmor/io/files/text.hpp>

#include <CLI/CLI.hpp>

#include <sstream>

namespace larmor::app {
namespace {

// The JSON object of the parameters, one parameter, and lists or objects in it.
constexpr int deepest = 8;

RecipeValues json_values(const std::string& text, const std::string& source) {
  const nlohmann::json all = recipe_json(text, source);
  RecipeValues values;
  for (const auto& [name, value] : all.items()) {
    if (!value.is_array())
      values.emplace_back(name, recipe_text_of(value));
    else
      for (const nlohmann::json& one : value) values.emplace_back(name, recipe_text_of(one));
  }
  return values;
}

RecipeValues toml_values(const std::string& text, const std::string& source) {
  std::istringstream lines(text);
  RecipeValues values;
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(lines)) {
      if (item.name == "++" || item.name == "--") continue;  // a section begins or ends
      if (!item.parents.empty() && item.parents != std::vector<std::string>{"run"})
        throw input_error("{}: section '{}'; recipes have [run] or none", source,
                          printable(item.parents.front()));
      if (item.inputs.empty()) values.emplace_back(item.name, "true");
      for (const std::string& input : item.inputs) values.emplace_back(item.name, input);
    }
  } catch (const CLI::Error& error) {
    throw input_error("{}: {}", source, printable(error.what(), 400));
  }
  return values;
}

}  // namespace

RecipeValues recipe_values(const std::string& text, const std::string& source) {
  const bool json = source.ends_with(".json") || trimmed(text).starts_with('{');
  return json ? json_values(text, source) : toml_values(text, source);
}

nlohmann::json recipe_json(const std::string& text, const std::string& source) {
  try {
    require_levels(text, deepest);
  } catch (const std::runtime_error& error) {
    throw input_error("{}: {}", source, error.what());
  }
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) throw input_error("{}: expected a JSON object {{\"OPTION\": VALUE, …}}", source);
  return json;
}

std::string recipe_text_of(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace larmor::app
