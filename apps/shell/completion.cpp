#include <larmor/apps/output/console.hpp>
#include <larmor/apps/shell/completion.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace larmor::app {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string bash_script(const std::vector<Command>& all) {
  std::string commands, options, values;
  for (const Command& command : all) {
    commands += (commands.empty() ? "" : " ") + command.name();
    std::vector<std::string> names{"--help"};
    for (const Option& option : command.options()) {
      if (option.is_word()) continue;
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
  return "# bash completion for recon; made by `recon completion bash`\n"
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
         "    [[ \"$words\" == *:* ]] && compopt -o nospace\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  fi\n"
         "  if [ ${#COMPREPLY[@]} -eq 0 ]; then\n"
         "    compopt -o filenames\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -F _recon recon\n";
}

/// In single quotes of a shell; `quote` is an escaped quote.
std::string quoted(const std::string& text, const std::string& quote) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? quote : std::string(1, c);
  return result + "'";
}

/// One of the specifications of zsh's _arguments.
std::string zsh_specification(const Option& option) {
  std::string help = option.help;  // ends at the first bracket
  std::replace(help.begin(), help.end(), '[', '(');
  std::replace(help.begin(), help.end(), ']', ')');
  if (option.is_word())
    return quoted((option.kind == Option::Kind::words ? "*:" : ":") + option.names + ":_files", "'\\''");
  std::string value;
  if (option.kind != Option::Kind::flag) {
    const std::string words = joined(option.choices());
    value = ":value:";
    if (words.empty())
      value += option.takes_file() ? "_files" : " ";
    else if (option.takes_file())
      value += "{compadd - " + words + "; _files}";
    else
      value += option.suggested.empty() ? "(" + words + ")" : "{compadd -S \"\" - " + words + "}";
  }
  const std::string rest = quoted("[" + help + "]" + value, "'\\''");
  const auto spellings = option.spellings();
  std::string names;
  for (const std::string& spelling : spellings) names += (names.empty() ? "" : ",") + spelling;
  const std::string name = spellings.size() > 1 ? "{" + names + "}" : names;
  if (option.kind == Option::Kind::values) return "'*'" + name + rest;
  return spellings.size() > 1 ? "'(" + joined(spellings) + ")'" + name + rest : name + rest;
}

std::string zsh_script(const std::vector<Command>& all) {
  std::string commands, cases;
  for (const Command& command : all) {
    commands += "    " + quoted(command.name() + ":" + command.summary(), "'\\''") + "\n";
    cases += "    " + command.name() + ")\n      _arguments -S '(-h --help)'{-h,--help}'[print this help]'";
    for (const Option& option : command.options()) cases += " \\\n        " + zsh_specification(option);
    cases += " ;;\n";
  }
  return "#compdef recon\n# made by `recon completion zsh`\n_recon() {\n  local -a commands\n  commands=(\n" +
         commands +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
         "  shift words\n  (( CURRENT-- ))\n"
         "  case \"$words[1]\" in\n" +
         cases + "  esac\n}\n_recon \"$@\"\n";
}

std::string fish_script(const std::vector<Command>& all) {
  std::string text = "# fish completion for recon; made by `recon completion fish`\n";
  for (const Command& command : all) {
    text += "complete -c recon -f -n __fish_use_subcommand -a " + command.name() + " -d " +
            quoted(command.summary(), "\\'") + "\n";
    const std::string begin = "complete -c recon -n '__fish_seen_subcommand_from " + command.name() + "'";
    text += begin + " -s h -l help -d 'print this help'\n";
    for (const Option& option : command.options()) {
      if (option.is_word()) continue;
      std::string line = begin;
      for (const std::string& spelling : option.spellings())
        line += spelling.starts_with("--") ? " -l " + spelling.substr(2) : " -s " + spelling.substr(1);
      const std::string words = joined(option.choices());
      if (option.kind != Option::Kind::flag) line += option.takes_file() ? " -r -F" : " -x";
      if (!words.empty()) line += " -a " + quoted(words, "\\'");
      text += line + " -d " + quoted(option.help, "\\'") + "\n";
    }
  }
  return text;
}

}  // namespace

Command completion_command(std::vector<Command> (*all)()) {
  Command command("completion", "Print the completion script of a shell",
                  "Examples:\n  recon completion > ~/.local/share/bash-completion/completions/recon\n  recon "
                  "completion zsh > ~/.zfunc/_recon\n  recon completion fish > "
                  "~/.config/fish/completions/recon.fish\nThey are installed together with recon.");
  const auto shell = std::make_shared<std::string>("bash");
  command.word("SHELL", "bash|zsh|fish (default bash)", *shell).take = [shell](const std::string& text) {
    place_of(text, {"bash", "zsh", "fish"});
    *shell = text;
  };
  command.action = [all, shell](const Session&) {
    print_out(*shell == "zsh"    ? zsh_script(all())
              : *shell == "fish" ? fish_script(all())
                                 : bash_script(all()));
  };
  return command;
}

}  // namespace larmor::app
