#include <larmor/apps/commands.hpp>

namespace larmor::app {

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  for (const auto make : {run_command, info_command, simulate_command, maps_command, density_command,
                          psf_command, tune_command, compare_command, bench_command, completion_command})
    commands.push_back(make());
  return commands;
}

}  // namespace larmor::app
