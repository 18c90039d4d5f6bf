#include <larmor/apps/commands.hpp>
#include <larmor/apps/commands/compare.hpp>
#include <larmor/apps/commands/convert.hpp>
#include <larmor/apps/commands/density.hpp>
#include <larmor/apps/commands/fieldmap.hpp>
#include <larmor/apps/commands/info.hpp>
#include <larmor/apps/commands/maps.hpp>
#include <larmor/apps/commands/match.hpp>
#include <larmor/apps/commands/psf.hpp>
#include <larmor/apps/commands/run.hpp>
#include <larmor/apps/commands/serve.hpp>
#include <larmor/apps/commands/simulate.hpp>
#include <larmor/apps/commands/stream.hpp>
#include <larmor/apps/commands/tune.hpp>
#include <larmor/apps/commands/view.hpp>
#include <larmor/apps/config_file.hpp>
#include <larmor/apps/shell/completion.hpp>
#include <larmor/apps/shell/manual.hpp>

namespace larmor::app {

std::vector<Command> all_commands() {
  std::vector<Command> commands{run_command(),
                                info_command(),
                                simulate_command(),
                                maps_command(),
                                fieldmap_command(),
                                match_command(),
                                density_command(),
                                psf_command(),
                                tune_command(),
                                compare_command(),
                                convert_command(),
                                view_command(),
                                serve_command(),
                                stream_command(),
                                completion_command(all_commands),
                                manual_command(all_commands)};
  for (Command& command : commands) add_config_options(command);
  return commands;
}

}  // namespace larmor::app
