#include <larmor/apps/output/console.hpp>
#include <larmor/apps/shell/manual.hpp>
#include <larmor/core/version.hpp>
#include <larmor/options/words/values.hpp>

#include <string>

namespace larmor::app {
namespace {

/// Text as man(7) shows it as it is: hyphens stay what a shell takes, no line is a request.
std::string plain(const std::string& text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    line_begins = c == '\n';
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

std::string of_option(const Option& option) {
  std::string names;
  for (const std::string& spelling : option.spellings())
    names += (names.empty() ? "\\fB" : ", \\fB") + plain(spelling) + "\\fR";
  if (!option.type.empty() && !option.is_word()) names += " \\fI" + plain(option.type) + "\\fR";
  const std::string more = option.required ? " (required)" : "";
  return ".TP\n" + names + "\n" + plain(option.help) + more + "\n";
}

std::string of_command(const Command& command) {
  std::string usage = "recon " + command.name() + " [OPTIONS]", options, heading;
  for (const Option& option : command.options()) {
    if (option.is_word()) usage += option.required ? " " + option.names : " [" + option.names + "]";
    if (option.heading != heading) {
      heading = option.heading;
      options += ".PP\n\\fI" + plain(heading.empty() ? "Options" : heading) + "\\fR\n";
    }
    options += of_option(option);
  }
  return ".SS \"" + plain(usage) + "\"\n" + plain(command.summary()) + ".\n" + options + ".PP\n.nf\n" +
         plain(command.examples()) + "\n.fi\n";
}

std::string manual_page(const std::vector<Command>& all) {
  std::string page = std::string(".TH RECON 1 \"\" \"Larmor ") + version() +
                     "\" \"User Commands\"\n"
                     ".SH NAME\nrecon \\- iterative reconstruction of non\\-Cartesian MRI\n"
                     ".SH SYNOPSIS\n\\fBrecon\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...\n.br\n"
                     "\\fBrecon help\\fR [\\fICOMMAND\\fR]\n.br\n\\fBrecon \\-\\-version\\fR\n"
                     ".SH COMMANDS\n";
  for (const Command& command : all) page += of_command(command);
  page +=
      ".SH EXIT STATUS\n.nf\n"
      "0    done\n1    a mistake of ours\n2    wrong option or value\n"
      "3    a file or data that cannot be used\n4    not enough memory or disk, or no such device\n"
      "5    a process of several was killed or stopped\n130  interrupted\n.fi\n";
  return page;
}

}  // namespace

Command manual_command(std::vector<Command> (*all)()) {
  Command command("manual", "Print the manual page",
                  "Example:\n"
                  "  recon manual | man -l -");
  command.action = [all](const Session&) { print_out(manual_page(all())); };
  return command;
}

}  // namespace larmor::app
