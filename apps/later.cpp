#include <larmor/apps/commands.hpp>
#include <larmor/core/format_error.hpp>

namespace larmor::app {

void add_later_commands(CLI::App& recon) {
  CLI::App* command = recon.add_subcommand("serve", "not available in this version");
  command->group("");
  command->set_help_flag();
  command->prefix_command();
  command->parse_complete_callback([] { throw usage_error("recon serve is not available in this version"); });
}

}  // namespace larmor::app
