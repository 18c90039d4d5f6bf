#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/io/mrd_stream/message_writer.hpp>

#include <string>
#include <utility>
#include <vector>

namespace larmor::app {

/// Named options of a reconstruction.
struct Recipe {
  std::string name;
  /// By the names of NamedOptions, in order.
  std::vector<std::pair<std::string, std::string>> options;
  ImageKind kind = ImageKind::magnitude;
  mrd::PixelType pixels = mrd::PixelType::float32;
  bool real_time = false;  ///< images that come too late are skipped

  /// Sets an option; flags by "true". Besides those of NamedOptions: magnitude, phase, complex, real_time;
  /// pixels = float32 or int16. Throws Error (usage) for unknown names and invalid values.
  void set(const std::string& name, const std::string& value);
};

/// Recipes of a folder, NAME.toml or NAME.json, and the built-in ones: "default", and one for each
/// regulariser with automatic λ, named as the regulariser.
class Recipes {
 public:
  /// folder: empty: none.
  explicit Recipes(std::string folder) : folder_(std::move(folder)) {}

  /// The recipe of this name, first from the folder. Names that mean the default unless the folder has such a
  /// file: the empty name, "openrecon" and those of Gadgetron's default configurations. Throws Error (usage)
  /// that lists the known names.
  Recipe named(const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  std::string folder_;
};

/// A recipe sent by a client as text: JSON, or TOML as `recon run --print-config` writes it. Throws Error:
/// input for text that is neither, usage for options that do not exist or that may name a file of this
/// machine.
Recipe recipe_of_text(const std::string& text);

/// OpenRecon's parameters, {"parameters": {"config": NAME, NAME: VALUE, …}}: the recipe of that name
/// (customconfig if it is not empty), or `recipe`, with those parameters that are options. Others are
/// ignored; their names are added to `others`. Throws Error as recipe_of_text().
Recipe with_parameters(Recipe recipe, const std::string& json, const Recipes& recipes,
                       std::vector<std::string>& others);

}  // namespace larmor::app
