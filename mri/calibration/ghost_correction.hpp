#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare.hpp>

namespace LARMOR_API larmor {

// Lines of an echo train (EPI) run back and forth. Eddy currents and delays give those that run backwards, of
// the object ρ(x), the phase exp(i(a_c + b x)): a ghost at half the field of view. Navigators are lines
// without phase encoding in both directions, ahead of each train (Bruder et al. 1992).

/// The options with readout_shifts and readout_factors that take this phase out: b is a displacement of the
/// samples in k-space, the same in all channels, and a_c a factor of each channel. They come from the
/// readouts flagged as phase correction, the last of the slice ahead of each reversed readout, otherwise the
/// first after it. Unchanged for scans without such readouts in both directions, or whose imaging readouts
/// all run in one. Notes and warnings go to the reporter.
PrepareOptions with_ghost_correction(const Scan& scan, PrepareOptions options, Context& ctx);

}  // namespace larmor
