#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare.hpp>

namespace LARMOR_API larmor {

/// The options with the delay that is found in the first image, by options.estimate_delay; it goes to the
/// reporter. Throws Error (input) for trajectories that it cannot be found from.
PrepareOptions with_estimated_delay(const Scan& scan, PrepareOptions options, Context& ctx);

/// ReadingOptions::readout_factors of the images' readouts, found image by image around the centre of k-space
/// as ReadoutErrors has them, delays being those of the plan; 1 for readouts that tell none. Throws Error
/// (input, about "readout_phase") for Cartesian scans, for stacks, and where no object explains the readouts.
Array<std::complex<float>> estimated_factors(const Scan& scan, const ScanPlan& plan,
                                             const PrepareOptions& options, Context& ctx);

}  // namespace larmor
