#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace larmor::app {

/// Names and values of options, repeated options several times.
using RecipeValues = std::vector<std::pair<std::string, std::string>>;

/// Options in a text: JSON if it begins with '{' or the source is a .json file, otherwise TOML without
/// sections or with [run]. Throws Error (input) that names `source`.
RecipeValues recipe_values(const std::string& text, const std::string& source);

/// A JSON object. Throws Error (input) for anything else.
nlohmann::json recipe_json(const std::string& text, const std::string& source);

/// A value of the JSON object, as written on the command line.
std::string recipe_text_of(const nlohmann::json& value);

}  // namespace larmor::app
