#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/divide.hpp>
#include <larmor/operators/coil_maps.hpp>

#include <vector>

namespace LARMOR_API larmor {

// Coil maps as operators on the context's device, one for each set. On a CPU they know their box, outside of
// which no coil sees anything.

/// maps_of_slice()
template <typename T>
std::vector<CoilMaps<T>> coil_maps_of_slice(const Scan& scan, const Selection& selection,
                                            const CoilOptions& options, std::uint16_t slice,
                                            const PreparedImage* loaded, Placement placement, Context& ctx,
                                            Calibration* used = nullptr);
/// From the maps that each rank has found of its part of the pixels, those of all pixels: of its coils, or of
/// all where coils are not divided. The box is that of all coils. pixels: of the solve grid; sets: how many
/// there are.
template <typename T>
std::vector<CoilMaps<T>> joined_maps(const PartOfMaps& own, Index sets, Index coils, const Shape& pixels,
                                     const Division& division, Placement placement, Context& ctx);

}  // namespace larmor
