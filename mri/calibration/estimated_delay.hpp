#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare.hpp>

namespace LARMOR_API larmor {

/// The options with the delay that is found in the first image, by options.estimate_delay; it goes to the
/// reporter. Throws Error (input) for trajectories that it cannot be found from.
PrepareOptions with_estimated_delay(const Scan& scan, PrepareOptions options, Context& ctx);

}  // namespace larmor
