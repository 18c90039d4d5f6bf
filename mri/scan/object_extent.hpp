#pragma once

#include <larmor/mri/scan/prepare.hpp>

#include <vector>

namespace larmor {

/// A readout with evenly spaced samples, and a central part of its field of view.
struct SeenReadout {
  std::size_t index;
  double part;  ///< as a fraction of 1/step
};

/// The fraction of the object's energy outside the central parts. Noise, which is uniform and measured at the
/// ends of the readouts' field of view, is subtracted. 0 if all samples are zero.
double share_beyond(const Scan& scan, const std::vector<SeenReadout>& readouts);

/// Fraction from which an object counts as larger than a part; below, it is leakage from edges.
inline constexpr double object_share = 0.01;

/// Fraction below which a part may be left out. Without it, this fraction's root of the data's norm would be
/// unexplained, and that is how far iterations stop from the solution (converged_distance).
inline constexpr double negligible_share = 4e-6;

/// Solves on the recon field of view if spokes see nothing outside it: pixels without signal only make
/// undersampled images worse.
void fit_solve_grid(const Scan& scan, ScanPlan& plan);

/// Adds a warning if spokes or lines see an object larger than the field of view of the solve grid.
void warn_of_larger_object(const Scan& scan, ScanPlan& plan);

}  // namespace larmor
