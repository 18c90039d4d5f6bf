#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

namespace LARMOR_API larmor {

/// Maps from another scan of the same channels, as CoilOptions::maps takes them: of its readouts that are
/// flagged as calibration or imaging. On the grid that `scan` is solved on where both lie in the same place;
/// otherwise estimated on its own grid and resampled, see placed_maps(). Where its readouts do not tell the
/// units of their trajectory, because they reach a small part of k-space, these are the units of `scan`.
/// Throws Error (input, about "calibration_scan") where its channels differ, and where it lies too far away.
Array<std::complex<float>> maps_of_other_scan(Scan calibration, const Scan& scan,
                                              const ReconstructOptions& options, Context& ctx);

}  // namespace larmor
