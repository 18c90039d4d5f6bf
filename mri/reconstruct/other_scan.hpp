#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

namespace LARMOR_API larmor {

/// Maps from another scan of the same channels, as CoilOptions::maps takes them: from its readouts flagged as
/// calibration or imaging. On the solve grid of `scan` if both have the same position; otherwise estimated on
/// its own grid and resampled, see placed_maps(). If its readouts do not determine the units of their
/// trajectory, because they reach a small part of k-space, these are the units of `scan`. Throws Error
/// (input, about "calibration_scan") if its channels differ, and if it is too far away.
Array<std::complex<float>> maps_of_other_scan(Scan calibration, const Scan& scan,
                                              const ReconstructOptions& options, Context& ctx);

}  // namespace larmor
