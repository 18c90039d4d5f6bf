#include <larmor/apps/command_line.hpp>
#include <larmor/apps/config_file.hpp>
#include <larmor/apps/output/console.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/options/words/values.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

// CLI11, which takes long to compile, is included only here and in config_file.cpp.

namespace larmor::app {
namespace {

constexpr std::size_t help_column = 34, help_width = 66;

/// Wraps text into lines of the help's right column.
std::string wrapped(const std::string& text) {
  std::string lines;
  std::size_t used = 0;
  for (const std::string& word : split(text, ' ')) {
    if (used > 0) {
      const bool fits = used + 1 + word.size() <= help_width;
      lines += fits ? ' ' : '\n';
      used = fits ? used + 1 : 0;
    }
    lines += word;
    used += word.size();
  }
  return lines;
}

/// Passes a value to its option; errors are reported with the option's name and the value.
void take(const Option& option, const std::string& value) {
  try {
    option.take(value);
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::usage) throw;
    throw usage_error("{} '{}': {}", option.names, value, error.what());
  }
}

/// shown: listed by --help.
CLI::Option* register_option(CLI::App& app, const Option& option, bool shown) {
  const std::string help = wrapped(option.help);
  const auto take_one = [&option](const std::string& value) { take(option, value); };
  CLI::Option* registered = nullptr;
  switch (option.kind) {
    case Option::Kind::flag:
      registered = app.add_flag_callback(
          option.names, [&option] { option.take({}); }, help);
      break;
    case Option::Kind::values:
      registered = app.add_option_function<std::vector<std::string>>(
                          option.names,
                          [take_one](const std::vector<std::string>& values) {
                            std::for_each(values.begin(), values.end(), take_one);
                          },
                          help)
                       ->allow_extra_args(false);
      break;
    case Option::Kind::words:
      registered = app.add_option_function<std::vector<std::string>>(
          option.names,
          [take_one](const std::vector<std::string>& values) {
            std::for_each(values.begin(), values.end(), take_one);
          },
          help);
      break;
    case Option::Kind::word:
      registered = app.add_option_function<std::string>(option.names, take_one, help);
      break;
    case Option::Kind::value:  // the last one counts, so that a line's options go before those of a file
      registered = app.add_option_function<std::string>(option.names, take_one, help)
                       ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      break;
  }
  if (option.kind != Option::Kind::flag) registered->type_name(option.type);
  if (!shown)
    registered->group("");
  else if (!option.heading.empty())
    registered->group(option.heading);
  return registered->required(option.required);
}

/// Reports a first word that is not a subcommand, with its name.
void require_known_command(const std::vector<Command>& commands, const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return;
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name());
  if (std::find(names.begin(), names.end(), words[0]) != names.end()) return;
  const std::string meant = did_you_mean(words[0], names);
  throw usage_error("'{}' is not a subcommand{} (see recon --help)", words[0],
                    meant.empty() ? fmt::format("; expected one of {}", fmt::join(names, ", ")) : meant);
}

/// The end of a command's help.
std::string footer_of(const Command& command, bool all) {
  const auto& options = command.options();
  const auto hidden =
      std::count_if(options.begin(), options.end(), [](const Option& one) { return !one.usual; });
  if (hidden == 0 || all) return command.details() + command.examples();
  return fmt::format("{}\n\nrecon {} --help-all shows {} more options.", command.examples(), command.name(),
                     hidden);
}

/// The subcommands with their options. all: --help shows all of these.
std::vector<std::pair<Option*, CLI::Option*>> register_commands(CLI::App& recon,
                                                                std::vector<Command>& commands, bool all) {
  std::vector<std::pair<Option*, CLI::Option*>> registered;
  for (Command& command : commands) {
    CLI::App* app = recon.add_subcommand(command.name(), command.summary());
    app->footer(footer_of(command, all));
    for (Option& option : command.options())
      registered.emplace_back(&option, register_option(*app, option, all || option.usual));
  }
  return registered;
}

/// The words after "recon"; "help run" means "run --help".
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words[0] != "help") return words;
  words.erase(words.begin());
  words.resize(std::min<std::size_t>(words.size(), 1));
  words.emplace_back("--help");
  return words;
}

/// The reason why CLI11 refuses a command line. A misspelt option is reported first: a missing option may be
/// the one that was misspelt.
std::string wrong_words(const CLI::App& recon, const CLI::App* called, const Command* command,
                        const CLI::ParseError& error) {
  const CLI::App& asked = called == nullptr ? recon : *called;
  const std::string name = called == nullptr ? "recon" : "recon " + called->get_name();
  std::vector<std::string> known{"--help", "--help-all"};
  if (command == nullptr) known.emplace_back("--version");
  if (command != nullptr)
    for (const Option& option : command->options())
      if (!option.is_word())
        for (const std::string& spelling : option.spellings()) known.push_back(spelling);
  for (const std::string& word : asked.remaining(true)) {
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string given = word.substr(0, word.find('='));
    return fmt::format("{} has no option {}{} (see {} --help)", name, given, did_you_mean(given, known),
                       name);
  }
  return fmt::format("{} (see {} --help)", error.what(), name);
}

void require_values(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.starts_with(std::string(print_config) + "="))
      throw usage_error("{}: {} takes no value", word, print_config);
    // CLI11 would take the next word, perhaps a scan, for the value.
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw usage_error("'{}' has no value; give one, or leave the option out", word);
  }
}

}  // namespace

const Command* read_command_line(std::vector<Command>& commands, int argc, char** argv) {
  std::vector<std::string> words = words_of(argc, argv);
  require_known_command(commands, words);
  const auto help_all = std::find(words.begin(), words.end(), "--help-all");
  const bool all = help_all != words.end();
  if (all) *help_all = "--help";
  require_values(words);
  words = with_configuration(std::move(words), commands);
  CLI::App recon(
      "Iterative reconstruction of non-Cartesian MRI.\n"
      "Example: recon run scan.h5 -o image.nii.gz",
      "recon");
  recon.set_help_flag("-h,--help", "print this help");
  recon.set_version_flag("--version", std::string("recon ") + version(), "print the version");
  recon.require_subcommand(1);
  recon.footer("recon help COMMAND lists the options of a command.");
  recon.get_formatter()->column_width(help_column);
  const auto registered = register_commands(recon, commands, all);

  const bool printing = std::find(words.begin(), words.end(), print_config) != words.end();
  if (printing)
    for (const auto& [option, parsed] : registered) parsed->required(false);
  const auto called = [&]() -> CLI::App* {
    const auto parsed = recon.get_subcommands();
    return parsed.empty() ? nullptr : parsed.front();
  };
  const auto command_called = [&] {
    return std::find_if(commands.begin(), commands.end(), [&](const Command& candidate) {
      return called() != nullptr && candidate.name() == called()->get_name();
    });
  };
  std::reverse(words.begin(), words.end());  // the order that CLI11 expects
  try {
    recon.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    print_out(called() == nullptr ? recon.help() : called()->help("recon"));
    return nullptr;
  } catch (const CLI::CallForVersion& text) {
    print_out(std::string(text.what()) + "\n");
    return nullptr;
  } catch (const CLI::ParseError& error) {
    const auto command = command_called();
    throw usage_error("{}",
                      wrong_words(recon, called(), command == commands.end() ? nullptr : &*command, error));
  }
  for (const auto& [option, parsed] : registered) option->given = static_cast<int>(parsed->count());
  const auto command = command_called();
  if (printing) {
    std::map<std::string, std::vector<std::string>> values;
    for (const auto& [option, parsed] : registered)
      if (option->given > 0) values[option->names] = parsed->results();
    print_out(configuration_of(*command, values));
    return nullptr;
  }
  command->check_rules();
  return &*command;
}

}  // namespace larmor::app
