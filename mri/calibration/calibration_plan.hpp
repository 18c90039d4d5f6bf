#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare.hpp>

#include <optional>

namespace LARMOR_API larmor {

/// The readouts that a scan flags as calibration, or as calibration and imaging, as images of their own: what
/// load_image() takes with the channels of `plan`, on the grid of `plan`. Their trajectory is read like that
/// of the imaging readouts, in the same units; where they refer to another encoding, by its matrix and field
/// of view. Nullopt where there are none, or none that can be used: `plan.notes` then say why.
std::optional<ScanPlan> plan_calibration(const Scan& scan, ScanPlan& plan);

}  // namespace larmor
