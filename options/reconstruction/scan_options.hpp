#pragma once

#include <larmor/mri/reconstruct/options/options.hpp>
#include <larmor/options/reconstruction/machine_options.hpp>

#include <string>
#include <vector>

namespace larmor::app {

/// Shared by the subcommands that read a scan: the scan, how to read it, and the model.
struct ScanOptions {
  std::string scan, group;
  std::string kspace_file;               ///< an array instead of a scan
  std::vector<std::string> kspace_axes;  ///< its axes, if given
  bool takes_trajectory = false;         ///< SCAN may be a trajectory alone: no samples are needed
  std::string trajectory_file, response_file, motion_file, density_file, maps_file, calibration_file,
      noise_file, field_map_file, decay_file, field_weight_file, basis_file, dictionary_file, bins_file,
      band_phases_file;
  Index coefficients = 0;  ///< of the dictionary's subspace
  ReconstructOptions reconstruct;
  MachineOptions machine;

  /// All files that are read, so that no output overwrites one of them.
  std::vector<std::string> inputs() const;
};

/// SCAN, --trajectory, --traj-units, …, selection and machine options. SCAN is required by the rule of
/// add_kspace_options().
void add_scan_options(Command& command, ScanOptions& options);
/// --kspace and --kspace-axes, after add_scan_options(). needed: the command does nothing without a scan.
void add_kspace_options(Command& command, ScanOptions& options, bool needed = true);
/// Lets SCAN be a trajectory alone, after add_scan_options(): the command needs no samples.
void take_trajectory_alone(Command& command, ScanOptions& options);
/// --density; `otherwise`: text for the default.
void add_density_option(Command& command, ScanOptions& options, const std::string& otherwise);
/// --calibrate, --coils, --noise, --no-whiten
void add_coil_options(Command& command, ScanOptions& options);
/// --calibration
void add_calibration_option(Command& command, ScanOptions& options);
/// --field-map, --r2star, --field-weight, --basis, --dictionary, --coefficients, --bins, --window, and their
/// rules.
void add_physics_options(Command& command, ScanOptions& options);

}  // namespace larmor::app
