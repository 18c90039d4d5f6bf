#pragma once

#include <larmor/core/data/scan.hpp>

#include <utility>

namespace larmor {

/// Flags of readouts that carry no image data, and their names. A readout flagged as both calibration and
/// calibration_and_imaging carries image data.
inline constexpr std::pair<AcquisitionFlag, const char*> never_imaging_flags[] = {
    {AcquisitionFlag::noise, "noise"},
    {AcquisitionFlag::calibration, "calibration"},
    {AcquisitionFlag::navigation, "navigation"},
    {AcquisitionFlag::phase_correction, "phase correction"},
    {AcquisitionFlag::hp_feedback, "HP feedback"},
    {AcquisitionFlag::dummy, "dummy"},
    {AcquisitionFlag::rt_feedback, "RT feedback"},
    {AcquisitionFlag::surface_coil, "surface coil"},
    {AcquisitionFlag::phase_stabilization_reference, "phase stabilisation reference"},
    {AcquisitionFlag::phase_stabilization, "phase stabilisation"},
};

/// Reason why a readout is not imaging data; null if it is.
inline const char* never_imaging(const ReadoutHeader& header) {
  for (const auto& [flag, name] : never_imaging_flags) {
    const bool also_imaging =
        flag == AcquisitionFlag::calibration && header.has(AcquisitionFlag::calibration_and_imaging);
    if (header.has(flag) && !also_imaging) return name;
  }
  return nullptr;
}

}  // namespace larmor
