#include <larmor/apps/commands/completion.hpp>
#include <larmor/apps/output/console.hpp>

#include <string>
#include <vector>

namespace larmor::app {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string completion_script(const std::vector<Command>& all) {
  std::string commands, options, values;
  for (const Command& command : all) {
    commands += (commands.empty() ? "" : " ") + command.name();
    std::vector<std::string> names{"--help"};
    for (const Option& option : command.options()) {
      if (option.kind == Option::Kind::word) continue;
      const auto spellings = option.spellings();
      names.insert(names.end(), spellings.begin(), spellings.end());
      const auto words = option.choices();
      if (words.empty()) continue;
      std::string pattern;
      for (const std::string& spelling : spellings)
        pattern += (pattern.empty() ? "\"" : "|\"") + command.name() + " " + spelling + "\"";
      values += "    " + pattern + ") words=\"" + joined(words) + "\" ;;\n";
    }
    options += "    " + command.name() + ") words=\"" + joined(names) + "\" ;;\n";
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

Command completion_command(std::vector<Command> (*all)()) {
  Command command("completion", "Print the bash completion script",
                  "Example:\n"
                  "  recon completion > ~/.local/share/bash-completion/completions/recon");
  command.action = [all](const Session&) { print_out(completion_script(all())); };
  return command;
}

}  // namespace larmor::app
