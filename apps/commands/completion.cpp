#include <larmor/apps/commands.hpp>

#include <string>
#include <vector>

namespace larmor::app {
namespace {

/// Values of an option that is a choice: its type name is "a|b|c".
std::vector<std::string> choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  std::vector<std::string> names;
  if (type.find('|') == std::string::npos || type.find_first_of(" <[") != std::string::npos) return names;
  std::string name;
  for (char c : type + "|") {
    if (c != '|') {
      name += c;
      continue;
    }
    if (name != "FILE") names.push_back(name);
    name.clear();
  }
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// All spellings of an option: "-o", "--output".
std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string completion_script(const CLI::App& recon) {
  std::string commands, options, values;
  for (const CLI::App* command : recon.get_subcommands({})) {
    if (command->get_group().empty()) continue;
    const std::string name = command->get_name();
    commands += (commands.empty() ? "" : " ") + name;
    std::vector<std::string> names;
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_positional() || option->get_group().empty()) continue;
      const auto all = spellings(*option);
      names.insert(names.end(), all.begin(), all.end());
      const auto words = choices(*option);
      if (!words.empty()) {
        std::string pattern;
        for (const std::string& spelling : all)
          pattern += (pattern.empty() ? "\"" : "|\"") + name + " " + spelling + "\"";
        values += "    " + pattern + ") words=\"" + joined(words) + "\" ;;\n";
      }
    }
    options += "    " + name + ") words=\"" + joined(names) + "\" ;;\n";
  }
  return "# bash completion for recon; made by `recon completion`\n"
         "_recon() {\n"
         "  local command=\"${COMP_WORDS[1]:-}\" current=\"${COMP_WORDS[COMP_CWORD]}\"\n"
         "  local previous=\"${COMP_WORDS[COMP_CWORD - 1]}\" words=\"\"\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"" +
         commands +
         " --help --version\" -- \"$current\")\n"
         "    return\n"
         "  fi\n"
         "  case \"$command $previous\" in\n" +
         values +
         "  esac\n"
         "  if [ -z \"$words\" ] && [[ \"$current\" == -* ]]; then\n"
         "    case \"$command\" in\n" +
         options +
         "    esac\n"
         "  fi\n"
         "  if [ -n \"$words\" ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  fi\n"
         "  if [ ${#COMPREPLY[@]} -eq 0 ]; then\n"
         "    compopt -o filenames\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -F _recon recon\n";
}

}  // namespace

void add_completion(CLI::App& recon, Session& session) {
  CLI::App* command = recon.add_subcommand("completion", "Print the bash completion script");
  command->footer("Example: recon completion > ~/.local/share/bash-completion/completions/recon");
  command->callback(
      [&recon, &session] { session.action = [&recon] { print_out(completion_script(recon)); }; });
}

}  // namespace larmor::app
