#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/operators/coil_maps.hpp>

#include <optional>
#include <vector>

namespace LARMOR_API larmor {

// Coil maps as operators on the context's device, one for each set. On a CPU they know their bounding box,
// outside which no coil is sensitive, including those of other ranks.

/// maps_of_slice() for some of the data's coils; nullopt: for all.
template <typename T>
std::vector<CoilMaps<T>> coil_maps_of_slice(const MapsInput& input, Context& ctx,
                                            std::optional<Share> coils = std::nullopt,
                                            Calibration* used = nullptr);

}  // namespace larmor
