#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>

#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Units of a stored trajectory. ISMRMRD does not specify them.
enum class TrajectoryUnits {
  automatic,          ///< determine them from the largest coordinate of every axis
  normalised,         ///< cycles per encoded pixel, Nyquist at 0.5
  cycles_per_fov,     ///< cycles per encoded field of view, Nyquist at N/2
  radians,            ///< radians per encoded pixel, Nyquist at pi
  per_metre,          ///< cycles per metre
  radians_per_metre,  ///< radians per metre
};

/// "auto", "normalised", "cycles/fov", "radians", "1/m", "rad/m"
const char* to_string(TrajectoryUnits units);

/// The units of a trajectory, and the reason.
struct UnitDecision {
  TrajectoryUnits units = TrajectoryUnits::normalised;  ///< never chosen automatically
  std::vector<double> largest;                          ///< max |k| of every axis in the units of the file
  std::vector<double> scale;  ///< cycles per encoded pixel = scale × file value, per axis
  std::string text;           ///< description of the decision
  /// In the requested units, the samples do not form readouts, and in others they would fit up to the edge of
  /// k-space; or the trajectory covers a part of k-space, but would also do so in units that are not options.
  bool doubtful = false;
};

/// Other properties that distinguish units, if known.
struct UnitEvidence {
  std::array<Index, 3> recon_matrix{0, 0, 0};  ///< x, y, z
  Vec3 recon_fov_mm{0, 0, 0};
  std::vector<double> largest_step;  ///< largest step of every axis between samples, in the units of the file
  double dwell_us = 0;
};

/// Finds the units of a trajectory from its largest coordinates, or checks the requested ones. Candidates are
/// TrajectoryUnits, and normalised to the recon pixel if that differs from the encoded one. A candidate that
/// ends at the edge of k-space is chosen if no other does. If none does, the trajectory may cover only a part
/// of k-space: then a candidate is chosen if only its largest step is that of a readout (0.2 to 1.1 cycles
/// per field of view) with a realistic gradient (1 to 250 mT/m); none is chosen if the steps are not known.
/// largest: max |k| of the axes x, y(, z) over all imaging samples; encoded_matrix, encoded_fov_mm: x, y, z.
/// Throws Error (input, about "traj_units"), with the maxima, if no unit or more than one fits, if
/// everything is zero, and if the requested units place samples far outside the encoded matrix.
UnitDecision decide_units(TrajectoryUnits asked, const std::vector<double>& largest,
                          const std::array<Index, 3>& encoded_matrix, const Vec3& encoded_fov_mm,
                          const UnitEvidence& evidence = {});

}  // namespace larmor
