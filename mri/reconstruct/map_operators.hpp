#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/operators/coil_maps.hpp>

#include <vector>

namespace LARMOR_API larmor {

// Coil maps as operators on the context's device, one for each set. On a CPU they know their box, outside of
// which no coil sees anything, those of other ranks included.

/// maps_of_slice(), of these coils of the data.
template <typename T>
std::vector<CoilMaps<T>> coil_maps_of_slice(const Scan& scan, const Selection& selection,
                                            const CoilOptions& options, std::uint16_t slice,
                                            const PreparedImage* loaded, const Share& coils,
                                            Placement placement, Context& ctx, Calibration* used = nullptr);

}  // namespace larmor
