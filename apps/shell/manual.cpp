#include <larmor/apps/output/console.hpp>
#include <larmor/apps/shell/manual.hpp>
#include <larmor/core/version.hpp>
#include <larmor/options/words/values.hpp>

#include <string>

namespace larmor::app {
namespace {

/// Text escaped for man(7): hyphens can be copied to a shell, no line is a request.
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
         plain(command.details() + command.examples()) + "\n.fi\n";
}

struct Variable {
  const char *name, *meaning;
};

constexpr Variable variables[] = {
    {"LARMOR_CONFIG", "a TOML file of options for every command, as --config takes it"},
    {"LARMOR_CONVERTER_OPTIONS",
     "more words for the programs that convert raw data of vendors, between spaces"},
    {"LARMOR_ISA",
     "portable or avx2: no instructions beyond those, where the processor has more; to compare"},
    {"XDG_CACHE_HOME, HOME",
     "where the fastest transforms are remembered: $XDG_CACHE_HOME/larmor/wisdom.json, otherwise "
     "~/.cache/larmor/wisdom.json"},
    {"TMPDIR", "where converters write their temporary file"},
    {"CUDA_VISIBLE_DEVICES", "which GPUs there are, and in which order; read by CUDA"},
    {"OMPI_COMM_WORLD_SIZE, PMI_SIZE, SLURM_STEP_NUM_TASKS",
     "set by mpirun, mpiexec and srun: with more than 1 this process is one of several that work together"},
};

std::string manual_page(const std::vector<Command>& all) {
  std::string page = std::string(".TH RECON 1 \"\" \"Larmor ") + version() +
                     "\" \"User Commands\"\n"
                     ".SH NAME\nrecon \\- iterative reconstruction of non\\-Cartesian MRI\n"
                     ".SH SYNOPSIS\n\\fBrecon\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...\n.br\n"
                     "\\fBrecon help\\fR [\\fICOMMAND\\fR]\n.br\n\\fBrecon \\-\\-version\\fR\n"
                     ".SH COMMANDS\n";
  for (const Command& command : all) page += of_command(command);
  page += ".SH ENVIRONMENT\n";
  for (const Variable& variable : variables)
    page += ".TP\n\\fB" + plain(variable.name) + "\\fR\n" + plain(variable.meaning) + ".\n";
  page +=
      ".SH EXIT STATUS\n.nf\n"
      "0    done\n1    an internal error: please report it\n2    wrong option or value\n"
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
