#pragma once

#include <larmor/mri/scan/prepare.hpp>

namespace larmor {

/// Determines from the samples of plan.images what center_sample means in this scan if its header is
/// ambiguous: readouts that were played backwards, and a center_sample of 0. Adds to notes and warnings of
/// `plan`. Needs a layout with generated positions.
ReadoutConvention find_readout_convention(const Scan& scan, ScanPlan& plan);

}  // namespace larmor
