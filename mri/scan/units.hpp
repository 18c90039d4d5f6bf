#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>

#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// What the numbers of a stored trajectory mean. ISMRMRD does not say.
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
  std::string text;           ///< the decision in words
  /// The units asked for make no readouts of the samples, and others fit to the edge of k-space; or the
  /// trajectory reaches a part of k-space, as it would in units that nobody can ask for.
  bool doubtful = false;
};

/// Other properties that distinguish units, if known.
struct UnitEvidence {
  std::array<Index, 3> recon_matrix{0, 0, 0};  ///< x, y, z
  Vec3 recon_fov_mm{0, 0, 0};
  std::vector<double> largest_step;  ///< largest step of every axis between samples, in the units of the file
  double dwell_us = 0;
};

/// Finds the units of a trajectory from its largest coordinates, or checks the ones asked for. Readings are
/// those of TrajectoryUnits, and normalised to the recon pixel where that is another than the encoded one.
/// One that ends at the edge of k-space is taken when no other does. Where none does, the trajectory may
/// reach a part of k-space only: a reading is then taken when it alone has the steps of a readout (0.2 to 1.1
/// cycles per field of view at most) and a gradient that exists (1 to 250 mT/m); where the steps are not
/// known, none. largest: max |k| of the axes x, y(, z) over all imaging samples; encoded_matrix,
/// encoded_fov_mm: x, y, z. Throws Error (input, about "trajectory_units") naming the maxima when no unit or
/// more than one fits, when everything is zero, and when the asked-for units put samples far outside the
/// encoded matrix.
UnitDecision decide_units(TrajectoryUnits asked, const std::vector<double>& largest,
                          const std::array<Index, 3>& encoded_matrix, const Vec3& encoded_fov_mm,
                          const UnitEvidence& evidence = {});

}  // namespace larmor
