#include <larmor/apps/commands.hpp>
namespace larmor::app {
void add_simulate(CLI::App& recon, Session& session) {
  CLI::App* command = recon.add_subcommand("simulate", "Simulate a scan of a head phantom");
  command->callback([&session] { session.action = [] {}; });
}
}  // namespace larmor::app
