#include <larmor/apps/commands.hpp>

namespace larmor::app {

void add_later_commands(CLI::App& recon) {
  for (const std::string name : {"bench", "serve"}) {
    CLI::App* command = recon.add_subcommand(name, "not available in this version");
    command->group("");
    command->set_help_flag();
    command->prefix_command();
    command->parse_complete_callback(
        [name] { throw usage_error("recon {} is not available in this version", name); });
  }
}

}  // namespace larmor::app
