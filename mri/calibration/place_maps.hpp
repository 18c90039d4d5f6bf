#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare.hpp>

#include <complex>
#include <vector>

namespace LARMOR_API larmor {

/// Where the slices of a plan lie, ascending, on one of its grids.
std::vector<ImageGeometry> slice_geometry(const ScanPlan& plan, const Grid& grid);

/// Given coil maps where the scan's images lie: [(slices,) (sets,) coils, (z,) y, x] of the solve grid where
/// they reach as far, otherwise of the recon grid; resampled as ResampledMaps does. maps: of a volume or a
/// single slice [(sets,) coils, (z,) y, x], or of slices [slices, (sets,) coils, y, x]; geometry: of the
/// volume, or of every slice. Slices that are no stack each serve the slices that are nearest to them. Empty
/// where the maps have the scan's voxels already, or where the scan does not say where it lies. What was done
/// goes to plan.notes. Throws Error (input, about "maps") where numbers and geometry do not fit each other or
/// the scan's channels, and where images lie farther beyond the maps than maps_margin.
Array<std::complex<float>> placed_maps(View<const std::complex<float>> maps, Index sets,
                                       const std::vector<ImageGeometry>& geometry, ScanPlan& plan,
                                       Context& ctx);

/// An image with a place of its own, such as a prior or a field map, where the scan's images lie: [(slices,)
/// (frames,) (z,) y, x] as placed_maps() has it, without its margin; `name` is for messages. image:
/// [(slices,) (frames,) (z,) y, x]. Empty and Error (input) as there.
Array<std::complex<float>> placed_image(View<const std::complex<float>> image,
                                        const std::vector<ImageGeometry>& geometry, const std::string& name,
                                        ScanPlan& plan, Context& ctx);

}  // namespace larmor
