#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

namespace LARMOR_API larmor {

/// Spirals that the gradients of a scanner can follow.
struct SpiralOptions {
  double fov_mm = 240;
  Index matrix = 240;  ///< k-space is covered up to matrix / (2 fov)
  Index interleaves = 16;
  /// Field of view that the turns support at the edge of k-space, relative to that at the centre; 1: uniform
  /// density.
  double edge_density = 1.0;
  double max_gradient_mt_per_m = 40;
  double max_slew_t_per_m_per_s = 150;
  double dwell_us = 4;
};

/// Proton gyromagnetic ratio γ/2π in Hz/T (CODATA).
inline constexpr double proton_hz_per_tesla = 42.577478518e6;

/// Variable-density Archimedean spirals from the centre, as fast as gradient and slew rate allow. Gradient
/// and slew limits hold for the differences of the returned samples. Throws Error (usage) for values that are
/// not positive, and if an interleaf would need more than 200,000 samples.
Trajectory variable_density_spiral(const SpiralOptions& options);

}  // namespace larmor
