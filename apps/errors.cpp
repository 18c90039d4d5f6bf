#include <larmor/apps/errors.hpp>

#include <algorithm>
#include <array>

namespace larmor::app {
namespace {

struct Row {
  std::string_view parameter, option;
};

constexpr std::array rows{
    Row{"bins", "--bins"},
    Row{"calibration", "--calibrate"},
    Row{"checkpoint", "--checkpoint"},
    Row{"combine", "--combine"},
    Row{"compression", "--compression"},
    Row{"delay", "--delay"},
    Row{"density", "--density"},
    Row{"device", "--device"},
    Row{"encoding", "--encoding"},
    Row{"fov", "--fov"},
    Row{"generate", "--generate"},
    Row{"group", "--group"},
    Row{"map_sets", "--sets"},
    Row{"maps", "--maps"},
    Row{"matrix", "--matrix"},
    Row{"memory_limit", "--memory"},
    Row{"overwrite", "--overwrite"},
    Row{"regularizers", "--regularizer"},
    Row{"replicas", "--replicas"},
    Row{"solve_fov", "--solve-fov"},
    Row{"solver", "--solver"},
    Row{"toeplitz", "--toeplitz"},
    Row{"trajectory", "--trajectory"},
    Row{"trajectory_columns", "--traj-layout"},
    Row{"trajectory_units", "--traj-units"},
    Row{"tune", "--tune"},
    Row{"virtual_coils", "--coils"},
    Row{"whiten", "--no-whiten"},
    Row{"window", "--window"},
};

}  // namespace

std::string_view option_of(std::string_view parameter) {
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const Row& candidate) { return candidate.parameter == parameter; });
  return row == rows.end() ? std::string_view() : row->option;
}

std::string message_of(const Error& error) {
  if (error.error_class() == ErrorClass::internal) return std::string("internal error: ") + error.what();
  const std::string option(option_of(error.parameter()));
  if (option.empty()) return error.what();
  return error.error_class() == ErrorClass::usage ? option + ": " + error.what()
                                                  : std::string(error.what()) + " (" + option + ")";
}

}  // namespace larmor::app
