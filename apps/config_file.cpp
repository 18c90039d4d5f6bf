#include <larmor/apps/config_file.hpp>
#include <larmor/apps/output/console.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/options/words/values.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace larmor::app {
namespace {

constexpr const char* config = "--config";
constexpr const char* variable = "LARMOR_CONFIG";

/// "regularizer" of "-r,--regularizer"; empty for words without a name.
std::string key_of(const Option& option) {
  if (option.is_word()) return "";
  return option.spellings().back().substr(2);
}

const Option* find_key(const Command& command, const std::string& key) {
  for (const Option& option : command.options())
    for (const std::string& spelling : option.spellings())
      if (!option.is_word() && spelling == "--" + key) return &option;
  return nullptr;
}

/// CLI11 skips lines of one or two characters: the first of these that is no part of a list; 0: none.
int damaged_line(const std::string& text, std::string& line) {
  std::istringstream lines(text);
  for (int number = 1; std::getline(lines, line); ++number) {
    line.erase(std::remove_if(line.begin(), line.end(), [](unsigned char c) { return std::isspace(c) != 0; }),
               line.end());
    if (line.size() < 3 && !line.starts_with('#') &&
        line.find_first_not_of("0123456789+-.,]") != std::string::npos)
      return number;
  }
  return 0;
}

std::vector<CLI::ConfigItem> items_of(const std::string& file) {
  // Limit on lines: CLI11 takes long to read more, and no configuration has as many.
  constexpr std::uint64_t most_bytes = 256 << 10;
  const std::string read = read_text(file, most_bytes);
  std::string line;
  if (const int number = damaged_line(read, line); number > 0)
    throw input_error("{}: line {} is '{}'; expected NAME = VALUE", file, number, one_line(line));
  std::istringstream text(read);
  try {
    return CLI::ConfigTOML().from_config(text);
  } catch (const CLI::Error& error) {
    throw input_error("{}: {}", file, one_line(error.what()));
  }
}

/// True if the words contain this option.
bool in_words(const Option& option, const std::vector<std::string>& words) {
  const std::vector<std::string> spellings = option.spellings();
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(spellings.begin(), spellings.end(), [&](const std::string& spelling) {
      const bool is_short = !spelling.starts_with("--");  // its value may follow directly
      return word == spelling || word.starts_with(is_short ? spelling : spelling + "=");
    });
  });
}

bool has_control_characters(const std::string& value) {
  return std::any_of(value.begin(), value.end(), [](unsigned char c) { return std::iscntrl(c) != 0; });
}

/// The command-line form of an option in a file.
std::vector<std::string> words_of(const Option& option, const CLI::ConfigItem& item,
                                  const std::string& file) {
  const std::string name = "--" + key_of(option);
  if (option.kind == Option::Kind::flag) {
    const std::string value = item.inputs.empty() ? "true" : item.inputs.front();
    if (value != "true" && value != "false")
      throw input_error("{}: {} is '{}'; expected true or false", file, item.name, one_line(value));
    return value == "true" ? std::vector{name} : std::vector<std::string>{};
  }
  if (option.kind == Option::Kind::value && item.inputs.size() != 1)
    throw input_error("{}: {} has {} values; expected one, in quotes where it has commas", file, item.name,
                      item.inputs.size());
  std::vector<std::string> words;
  for (const std::string& value : item.inputs) {
    // The command line would take its next word for the value.
    if (value.empty())
      throw input_error("{}: {} has no value; give one, or remove the line", file, item.name);
    if (has_control_characters(value))
      throw input_error("{}: the value '{}' of {} holds a control character; expected printable text", file,
                        one_line(value), item.name);
    words.push_back(fmt::format("{}={}", name, value));
  }
  return words;
}

/// TOML form: numbers unquoted, everything else in quotes. Control characters would need escapes, which CLI11
/// does not read.
std::string toml_of(const std::string& value) {
  if (has_control_characters(value))
    throw usage_error("'{}' holds a line break or another control character, which no configuration file can",
                      one_line(value));
  // Numbers are written as in JSON.
  const bool spaces =
      std::any_of(value.begin(), value.end(), [](unsigned char c) { return std::isspace(c) != 0; });
  if (!spaces && nlohmann::json::parse(value, nullptr, false).is_number()) return value;
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

}  // namespace

std::string configuration_file(const std::vector<std::string>& words) {
  std::string file;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == config && i + 1 < words.size()) file = words[i + 1];
    if (words[i].starts_with(std::string(config) + "=")) file = words[i].substr(std::strlen(config) + 1);
  }
  if (!file.empty()) return file;
  const char* named = std::getenv(variable);
  return named == nullptr ? "" : named;
}

void add_config_options(Command& command) {
  command.heading("Configuration");
  // Read before everything else, by with_configuration().
  command.value(config, "FILE",
                "read options from a TOML file, as written by --print-config; options on the command line "
                "take precedence (default: the file that LARMOR_CONFIG names)",
                [](const std::string&) {});
  command.flag(print_config, "print all options of this command as a configuration file, and exit", [] {});
}

std::vector<std::string> with_configuration(std::vector<std::string> words,
                                            const std::vector<Command>& commands) {
  if (words.empty()) return words;
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [&](const Command& candidate) { return candidate.name() == words[0]; });
  const std::string file = configuration_file(words);
  if (command == commands.end() || file.empty()) return words;
  std::vector<std::string> told;
  for (const CLI::ConfigItem& item : items_of(file)) {
    if (item.name == "++" || item.name == "--") continue;  // a section begins or ends
    const std::string section = item.parents.empty() ? "" : item.parents.front();
    const bool known_section =
        section.empty() ||
        std::any_of(commands.begin(), commands.end(), [&](const auto& c) { return c.name() == section; });
    if (!known_section || item.parents.size() > 1)
      throw input_error("{}: section '{}' is not the name of a command", file, one_line(section));
    const auto has = [&](const Command& candidate) {
      return (section.empty() || candidate.name() == section) && find_key(candidate, item.name) != nullptr;
    };
    if (std::none_of(commands.begin(), commands.end(), has)) {
      std::vector<std::string> keys;
      for (const Command& candidate : commands)
        if (section.empty() || candidate.name() == section)
          for (const Option& option : candidate.options()) keys.push_back(key_of(option));
      throw input_error("{}: {} option '{}'{} (see recon help {})", file,
                        section.empty() ? "no command has an" : "recon " + section + " has no",
                        one_line(item.name), did_you_mean(item.name, keys),
                        section.empty() ? "COMMAND" : section);
    }
    if (!has(*command)) continue;
    const Option& option = *find_key(*command, item.name);
    if (option.kind == Option::Kind::values && in_words(option, words)) continue;
    for (std::string& word : words_of(option, item, file)) told.push_back(std::move(word));
  }
  words.insert(words.begin() + 1, std::make_move_iterator(told.begin()), std::make_move_iterator(told.end()));
  return words;
}

std::string configuration_of(const Command& command,
                             const std::map<std::string, std::vector<std::string>>& values) {
  std::string text =
      fmt::format("# recon {}, for --config or LARMOR_CONFIG\n[{}]\n", command.name(), command.name());
  for (const Option& option : command.options()) {
    const std::string key = key_of(option);
    if (key.empty() || "--" + key == config || "--" + key == print_config) continue;
    text += "\n# " + option.help + "\n";
    const auto given = values.find(option.names);
    const bool flag = option.kind == Option::Kind::flag;
    if (given == values.end()) {
      text += fmt::format("# {} = {}\n", key, flag ? "true" : toml_of(option.type));
    } else if (flag) {
      text += key + " = true\n";
    } else if (option.kind == Option::Kind::values) {
      std::string list;
      for (const std::string& value : given->second) list += (list.empty() ? "" : ", ") + toml_of(value);
      text += fmt::format("{} = [{}]\n", key, list);
    } else {
      text += fmt::format("{} = {}\n", key, toml_of(given->second.back()));
    }
  }
  return text;
}

}  // namespace larmor::app
