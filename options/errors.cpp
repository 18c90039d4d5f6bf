#include <larmor/options/errors.hpp>
#include <larmor/options/words/values.hpp>

#include <algorithm>
#include <array>

namespace larmor::app {
namespace {

struct Row {
  std::string_view parameter, option;
  bool remedy = false;  ///< this option is never at fault
};

constexpr std::array rows{
    Row{"band_phases", "--band-phases"},
    Row{"bands", "--bands"},
    Row{"bins", "--bins"},
    Row{"calibration", "--calibrate"},
    Row{"calibration_scan", "--calibration"},
    Row{"calibration_readouts", "--calibration-readouts"},
    Row{"checkpoint", "--checkpoint"},
    Row{"coefficients", "--coefficients"},
    Row{"combine", "--combine"},
    Row{"compression", "--compression"},
    Row{"contrast", "--contrast"},
    Row{"delay", "--delay"},
    Row{"density", "--density"},
    Row{"device", "--device"},
    Row{"encoding", "--encoding"},
    Row{"field_map", "--field-map"},
    Row{"field_weight", "--field-weight"},
    Row{"fov", "--fov"},
    Row{"generate", "--generate"},
    Row{"group", "--group"},
    Row{"kspace_axes", "--kspace-axes"},
    Row{"maps", "--maps"},
    Row{"matrix", "--matrix"},
    Row{"memory_limit", "--memory"},
    Row{"noise", "--noise"},
    Row{"overwrite", "--overwrite", true},
    Row{"phase", "--cardiac-phase"},
    Row{"phase_constraint", "--phase-constraint"},
    Row{"readout_phase", "--readout-phase"},
    Row{"regularizers", "--regularizer"},
    Row{"repetition", "--repetition"},
    Row{"replicas", "--replicas"},
    Row{"set", "--set"},
    Row{"sets", "--sets"},
    Row{"slice", "--slice"},
    Row{"solve_fov", "--solve-fov"},
    Row{"solver", "--solver"},
    Row{"split", "--split"},
    Row{"toeplitz", "--toeplitz"},
    Row{"trajectory", "--trajectory"},
    Row{"trajectory_columns", "--traj-layout"},
    Row{"trajectory_units", "--traj-units"},
    Row{"tune", "--tune"},
    Row{"virtual_coils", "--coils"},
    Row{"whiten", "--no-whiten"},
    Row{"window", "--window"},
};

const Row* row_of(const std::string& parameter) {
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const Row& candidate) { return candidate.parameter == parameter; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

std::string message_of(const Error& error) {
  const std::string message = error.what();
  if (error.error_class() == ErrorClass::internal) return "internal error: " + message;
  std::string options;
  bool wrong = error.error_class() == ErrorClass::usage;
  for (const std::string& parameter : split(error.parameter(), ',')) {
    const Row* row = row_of(parameter);
    if (row == nullptr) continue;
    wrong = wrong && !row->remedy && options.empty();
    options += (options.empty() ? "" : ", ") + std::string(row->option);
  }
  if (options.empty()) return message;
  return wrong ? options + ": " + message : message + " (" + options + ")";
}

}  // namespace larmor::app
