#include <larmor/core/memory_limits.hpp>
#include <larmor/options/reconstruction/machine_options.hpp>
#include <larmor/options/words/values.hpp>

namespace larmor::app {

void add_machine_options(Command& command, MachineOptions& options) {
  command.heading("Machine");
  command.text("--device", "auto|cpu|cuda[:i]", "where to compute (default auto)", options.device);
  command.value(
      "-j,--threads", "N", "CPU threads (default: all that this process may use)",
      [&options](const std::string& text) { options.threads = static_cast<int>(count_in(text, 1, 1024)); });
  command.value("--memory", "BYTES", "memory limit, such as 4G (default: the free memory)",
                [&options](const std::string& text) { options.memory_limit = parse_bytes(text); });
  command.flag("--deterministic", "give bit-identical results in every run, for any number of threads",
               options.deterministic);
  command.flag("-q,--quiet", "print warnings and errors only", options.quiet);
  command.flag("-v,--verbose", "print more about decisions, memory and iterations", options.verbose);
}

void add_result_option(Command& command, MachineOptions& options) {
  command.flag("--json", "print a summary as JSON", options.json);
}

}  // namespace larmor::app
