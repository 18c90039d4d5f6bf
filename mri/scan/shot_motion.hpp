#pragma once

#include <larmor/mri/scan/prepare.hpp>

#include <array>
#include <optional>

namespace larmor {

/// The object's position while a readout was taken: x' = R x + t in mm along the image axes, about the centre
/// of the image. Its k-space is exp(−2πi k·t) times that of the object at rest at Rᵀk.
struct RigidMotion {
  std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< R, by rows
  Vec3 translation_mm{0, 0, 0};

  /// Turns a point of k-space in cycles/pixel of a grid by Rᵀ.
  void turn_back(double* k, int dims, const Grid& grid) const;
  /// Turns a vector in pixels of a grid by Rᵀ.
  void turn_back_positions(double* vector, int dims, const Grid& grid) const;
};

/// The motion given by six numbers: translations along x, y, z in mm, then rotations in degrees, first about
/// x, then y, then z.
RigidMotion rigid_motion(const double* six);

/// The motion of one of ScanPlan::imaging, by ReadingOptions::motion; none if that is empty.
std::optional<RigidMotion> motion_of(const ScanPlan& plan, std::size_t readout);

/// Throws Error (input, about "motion") unless ReadingOptions::motion is [shots, 6], finite, shots divide the
/// number of imaging readouts, and the object of a single slice stays in its plane.
void require_motion(const ScanPlan& plan);

}  // namespace larmor
