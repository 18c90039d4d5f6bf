#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare.hpp>

namespace LARMOR_API larmor {

/// The options with the delay estimated from the first image, as options.estimate_delay requests; it is
/// reported. Throws Error (input) for trajectories from which it cannot be estimated.
PrepareOptions with_estimated_delay(const Scan& scan, PrepareOptions options, Context& ctx);

/// ReadingOptions::readout_factors of the images' readouts, estimated image by image around the centre of
/// k-space as in ReadoutErrors, with the delays of the plan; 1 for readouts from which none can be estimated.
/// Throws Error (input, about "readout_phase") for Cartesian scans, for stacks, and if no object explains the
/// readouts.
Array<std::complex<float>> estimated_factors(const Scan& scan, const ScanPlan& plan,
                                             const PrepareOptions& options, Context& ctx);

}  // namespace larmor
