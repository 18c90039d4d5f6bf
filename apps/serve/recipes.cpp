#include <larmor/apps/output/console.hpp>
#include <larmor/apps/serve/recipe_text.hpp>
#include <larmor/apps/serve/recipes.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/options/named_options.hpp>
#include <larmor/solvers/regularizers/registry.hpp>

#include <algorithm>
#include <filesystem>

namespace larmor::app {
namespace {

constexpr std::uint64_t most_recipe_bytes = 256 << 10;

bool is_option(const std::string& name) {
  static const std::vector<std::string> names = NamedOptions().names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string in_option_names(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

Recipe recipe_of(const std::string& name, const RecipeValues& values) {
  Recipe recipe{.name = name, .options = {}};
  for (const auto& [option, value] : values) recipe.set(option, value);
  return recipe;
}

/// Clients choose how their data are reconstructed, but cannot make the server read a file of this machine.
void require_no_file(const std::string& name, const std::string& value) {
  if (NamedOptions().takes_file(in_option_names(name)) || value.find("prior") != std::string::npos)
    throw usage_error("{} may name a file, which is allowed only in the recipes of the server's folder",
                      name);
}

// Letters, digits and characters common in names; no name that leads out of the folder.
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
      if (std::error_code unknown; !std::filesystem::exists(file, unknown)) continue;
      return recipe_of(name, recipe_values(read_text(file, most_recipe_bytes), file));
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
  if (trimmed(text).starts_with('<'))
    throw input_error("{} is XML; expected TOML or JSON with options of recon run", source);
  const RecipeValues values = recipe_values(text, source);
  for (const auto& [name, value] : values) require_no_file(name, value);
  return recipe_of("text", values);
}

Recipe with_parameters(Recipe recipe, const std::string& json, const Recipes& recipes,
                       std::vector<std::string>& others) {
  const nlohmann::json all = recipe_json(json, "the parameters");
  const nlohmann::json& parameters = all.contains("parameters") ? all["parameters"] : all;
  if (!parameters.is_object()) throw input_error("the parameters: expected an object \"parameters\"");
  std::string name;
  for (const char* key : {"config", "customconfig"})
    if (parameters.contains(key) && !recipe_text_of(parameters[key]).empty())
      name = recipe_text_of(parameters[key]);
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
    require_no_file(key, recipe_text_of(value));
    std::erase_if(recipe.options, [&](const auto& known) { return known.first == option; });
    recipe.set(option, recipe_text_of(value));
  }
  return recipe;
}

}  // namespace larmor::app
