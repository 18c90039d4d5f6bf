#include <larmor/apps/output/console.hpp>
#include <larmor/apps/serve/recipes.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/options/named_options.hpp>
#include <larmor/solvers/regularizers/registry.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

namespace larmor::app {
namespace {

using ParameterJson = nlohmann::ordered_json;

constexpr std::uint64_t most_recipe_bytes = 256 << 10;

bool is_option(const std::string& name) {
  static const std::vector<std::string> names = NamedOptions().names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string in_option_names(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string text_of(const ParameterJson& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

ParameterJson parsed(const std::string& text, const std::string& source) {
  ParameterJson json = ParameterJson::parse(text, nullptr, false);
  if (!json.is_object()) throw input_error("{}: expected a JSON object {{\"OPTION\": VALUE, …}}", source);
  return json;
}

using Values = std::vector<std::pair<std::string, std::string>>;

Values json_values(const std::string& text, const std::string& source) {
  const ParameterJson all = parsed(text, source);
  Values values;
  for (const auto& [name, value] : all.items()) {
    if (!value.is_array())
      values.emplace_back(name, text_of(value));
    else
      for (const ParameterJson& one : value) values.emplace_back(name, text_of(one));
  }
  return values;
}

Values toml_values(const std::string& text, const std::string& source) {
  std::istringstream lines(text);
  Values values;
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(lines)) {
      if (item.name == "++" || item.name == "--") continue;  // a section begins or ends
      if (!item.parents.empty() && item.parents != std::vector<std::string>{"run"})
        throw input_error("{}: section '{}'; recipes have [run] or none", source, item.parents.front());
      if (item.inputs.empty()) values.emplace_back(item.name, "true");
      for (const std::string& input : item.inputs) values.emplace_back(item.name, input);
    }
  } catch (const CLI::Error& error) {
    throw input_error("{}: {}", source, one_line(error.what()));
  }
  return values;
}

Recipe recipe_of(const std::string& name, const Values& values) {
  Recipe recipe{.name = name, .options = {}};
  for (const auto& [option, value] : values) recipe.set(option, value);
  return recipe;
}

/// Clients choose how their data are reconstructed, but read no file of this machine.
void require_no_file(const std::string& name, const std::string& value) {
  if (NamedOptions().takes_file(in_option_names(name)) || value.find("prior") != std::string::npos)
    throw usage_error("{} may name a file, which is allowed only in the recipes of the server's folder",
                      name);
}

// Letters, digits and usual characters of names; nothing that leads out of the folder.
bool may_be_a_file(const std::string& name) {
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == ' ';
  });
}

std::vector<std::string> built_in_names() {
  std::vector<std::string> names{"default"};
  for (const RegularizerRow& row : regularizer_table())
    if (row.takes_lambda) names.emplace_back(row.name);
  return names;
}

}  // namespace

void Recipe::set(const std::string& given, const std::string& value) {
  const std::string option = in_option_names(given);
  const auto is_on = [&] {
    if (value != "true" && value != "false")
      throw usage_error("{} '{}': expected true or false", option, value);
    return value == "true";
  };
  const auto flag = [&](ImageKind wanted) {
    if (is_on()) kind = wanted;
  };
  if (option == "real_time") {
    real_time = is_on();
    return;
  }
  if (option == "magnitude") return flag(ImageKind::magnitude);
  if (option == "phase") return flag(ImageKind::phase);
  if (option == "complex") return flag(ImageKind::complex);
  if (option == "pixels") {
    if (value != "float32" && value != "int16")
      throw usage_error("pixels '{}': expected float32 or int16", value);
    pixels = value == "int16" ? mrd::PixelType::int16 : mrd::PixelType::float32;
    return;
  }
  NamedOptions trial;
  trial.set(option, value);
  options.emplace_back(option, value);
}

Recipe Recipes::named(const std::string& given) const {
  std::string name = given;
  for (const char* ending : {".toml", ".json"})
    if (name.ends_with(ending)) name.resize(name.size() - 5);
  if (!folder_.empty() && may_be_a_file(name)) {
    for (const char* ending : {".toml", ".json"}) {
      const std::string file = folder_ + "/" + name + ending;
      if (!std::filesystem::exists(file)) continue;
      const std::string text = read_text(file, most_recipe_bytes);
      return recipe_of(name, file.ends_with(".json") ? json_values(text, file) : toml_values(text, file));
    }
  }
  for (const char* same : {"", "openrecon", "default.xml", "default_measurement_dependencies.xml"})
    if (name == same) name = "default";
  const std::vector<std::string> built_in = built_in_names();
  if (std::find(built_in.begin(), built_in.end(), name) == built_in.end())
    throw usage_error("unknown configuration '{}'; expected one of {}", one_line(given),
                      fmt::join(names(), ", "));
  Recipe recipe{.name = name, .options = {}};
  if (name != "default") recipe.set("regularizer", name + ":auto");
  return recipe;
}

std::vector<std::string> Recipes::names() const {
  std::vector<std::string> names = built_in_names();
  std::error_code none;
  if (!folder_.empty())
    for (const auto& entry : std::filesystem::directory_iterator(folder_, none))
      if (entry.path().extension() == ".toml" || entry.path().extension() == ".json")
        names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Recipe recipe_of_text(const std::string& text) {
  const std::string source = "the configuration's text";
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '<')
    throw input_error("{} is XML; expected TOML or JSON with options of recon run", source);
  const bool json = first != std::string::npos && text[first] == '{';
  const Values values = json ? json_values(text, source) : toml_values(text, source);
  for (const auto& [name, value] : values) require_no_file(name, value);
  return recipe_of("text", values);
}

Recipe with_parameters(Recipe recipe, const std::string& json, const Recipes& recipes,
                       std::vector<std::string>& others) {
  const ParameterJson all = parsed(json, "the parameters");
  const ParameterJson& parameters = all.contains("parameters") ? all["parameters"] : all;
  if (!parameters.is_object()) throw input_error("the parameters: expected an object \"parameters\"");
  std::string name;
  for (const char* key : {"config", "customconfig"})
    if (parameters.contains(key) && !text_of(parameters[key]).empty()) name = text_of(parameters[key]);
  if (!name.empty()) recipe = recipes.named(name);
  for (const auto& [key, value] : parameters.items()) {
    if (key == "config" || key == "customconfig") continue;
    const std::string option = in_option_names(key);
    const bool of_images = option == "magnitude" || option == "phase" || option == "complex" ||
                           option == "pixels" || option == "real_time";
    if (!of_images && !is_option(option)) {
      others.push_back(key);
      continue;
    }
    require_no_file(key, text_of(value));
    std::erase_if(recipe.options, [&](const auto& known) { return known.first == option; });
    recipe.set(option, text_of(value));
  }
  return recipe;
}

}  // namespace larmor::app
