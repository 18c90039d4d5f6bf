#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare.hpp>

#include <optional>

namespace LARMOR_API larmor {

/// The readouts that a scan flags as calibration, or as calibration and imaging, as separate images: input of
/// load_image() with the channels of `plan`, on the grid of `plan`. Their trajectory is read like that of the
/// imaging readouts, in the same units; if they refer to another encoding, with its matrix and field of view.
/// Nullopt if there are none, or none that can be used: `plan.notes` then gives the reason.
std::optional<ScanPlan> plan_calibration(const Scan& scan, ScanPlan& plan);

}  // namespace larmor
