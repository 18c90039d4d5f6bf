#include <larmor/apps/options/machine.hpp>
#include <larmor/apps/options/values.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/memory_limits.hpp>

namespace larmor::app {

void add_machine_options(Command& command, MachineOptions& options) {
  command.heading("Machine");
  command.text("--device", "auto|cpu|cuda[:i]", "where to compute (default auto)", options.device);
  command.value(
      "--threads", "N", "processor threads (default: all that this process may use)",
      [&options](const std::string& text) { options.threads = static_cast<int>(count_in(text, 1, 1024)); });
  command.value("--memory", "BYTES", "memory that may be used, such as 4G (default: what is free)",
                [&options](const std::string& text) { options.memory_limit = parse_bytes(text); });
  command.flag("--deterministic", "the same bits in every run, for any number of threads",
               options.deterministic);
  command.flag("--quiet", "print warnings and errors only", options.quiet);
  command.flag("--verbose", "print more about decisions, memory and iterations", options.verbose);
}

Machine::Machine(const MachineOptions& options, const Session& session)
    : console(std::make_shared<Console>(options.quiet, options.verbose)),
      cancel(session.cancel),
      ctx(Device::parse(options.device), ContextOptions{.threads = options.threads,
                                                        .deterministic = options.deterministic,
                                                        .memory_limit = options.memory_limit,
                                                        .reporter = console,
                                                        .cancel = session.cancel}) {
  if (ctx.on_gpu()) return;
  // Also for what no plan speaks of: files that are read, calibration.
  limit_host_arrays(options.memory_limit);
  if constexpr (cuda::built)
    if (options.device == "auto" && addresses_are_limited())
      console->note("ulimit -v leaves no room for the addresses that CUDA reserves: working on the CPU");
}

double Stopwatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double Stopwatch::lap() {
  const double elapsed = seconds();
  start_ = std::chrono::steady_clock::now();
  return elapsed;
}

}  // namespace larmor::app
