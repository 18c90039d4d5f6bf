#pragma once

#include <larmor/mri/scan/prepare.hpp>

namespace larmor {

/// Decides from the samples of plan.images what center_sample means in this scan, where its header leaves
/// that open: readouts that were played backwards, and a center_sample of 0. Adds to notes and warnings of
/// `plan`. Needs a layout that positions are generated for.
ReadoutConvention find_readout_convention(const Scan& scan, ScanPlan& plan);

}  // namespace larmor
