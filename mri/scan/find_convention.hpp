#pragma once

#include <larmor/mri/scan/prepare.hpp>

namespace larmor {

/// Determines from the samples of plan.images the meaning of center_sample in this scan if its header is
/// ambiguous: for readouts acquired in reverse, and for a center_sample of 0. Adds to notes and warnings of
/// `plan`. Needs a layout with generated positions.
ReadoutConvention find_readout_convention(const Scan& scan, ScanPlan& plan);

}  // namespace larmor
