#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/io/mrd_stream/message_writer.hpp>

#include <string>
#include <utility>
#include <vector>

namespace larmor::app {

/// Options of a reconstruction under a name.
struct Recipe {
  std::string name;
  /// By the names of NamedOptions, in order.
  std::vector<std::pair<std::string, std::string>> options;
  ImageKind kind = ImageKind::magnitude;
  mrd::PixelType pixels = mrd::PixelType::float32;
  bool real_time = false;  ///< images that come too late are left out

  /// Sets an option; flags by "true". Beside those of NamedOptions: magnitude, phase, complex, real_time;
  /// pixels = float32 or int16. Throws Error (usage) for unknown names and values that cannot be.
  void set(const std::string& name, const std::string& value);
};

/// Recipes of a folder, NAME.toml or NAME.json, and those that are built in: "default", and one for each
/// regulariser with its λ found by itself, named as the regulariser.
class Recipes {
 public:
  /// folder: empty: none.
  explicit Recipes(std::string folder) : folder_(std::move(folder)) {}

  /// The recipe of this name, of the folder first. Names that stand for the default where the folder has no
  /// such file: an empty one, "openrecon" and those of Gadgetron's default configurations. Throws Error
  /// (usage) that lists the names there are.
  Recipe named(const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  std::string folder_;
};

/// A recipe in a text of a client: JSON, or TOML as `recon run --print-config` writes it. Throws Error: input
/// for text that is neither, usage for options that are not there or that may name a file of this machine.
Recipe recipe_of_text(const std::string& text);

/// OpenRecon's parameters, {"parameters": {"config": NAME, NAME: VALUE, …}}: the recipe of that name
/// (customconfig, where it is not empty), or `recipe`, with those parameters that are options. Others are
/// left alone: `others` gets their names. Throws Error as recipe_of_text().
Recipe with_parameters(Recipe recipe, const std::string& json, const Recipes& recipes,
                       std::vector<std::string>& others);

}  // namespace larmor::app
