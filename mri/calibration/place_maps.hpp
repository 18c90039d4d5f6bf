#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare.hpp>

#include <complex>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Positions of the slices of a plan, ascending, on one of its grids.
std::vector<ImageGeometry> slice_geometry(const ScanPlan& plan, const Grid& grid);

/// Given coil maps at the positions of the scan's images: [(slices,) (sets,) coils, (z,) y, x] of the solve
/// grid if they cover it, otherwise of the recon grid; resampled as by ResampledMaps. maps: of a volume or a
/// single slice [(sets,) coils, (z,) y, x], or of slices [slices, (sets,) coils, y, x]; geometry: of the
/// volume, or of every slice. Slices that do not form a stack are each used for the nearest slices. Empty if
/// the maps have the scan's voxels already, or if the position of the scan is unknown. The decision is added
/// to plan.notes. Throws Error (input, about "maps") if numbers and geometry do not fit each other or the
/// scan's channels, and if images extend beyond the maps by more than maps_margin.
Array<std::complex<float>> placed_maps(View<const std::complex<float>> maps, Index sets,
                                       const std::vector<ImageGeometry>& geometry, ScanPlan& plan,
                                       Context& ctx);

/// The end of an error about maps of one set, `times` as many as expected: they may be that many sets.
std::string perhaps_sets(Index times);

/// An image with its own position, such as a prior or a field map, at the positions of the scan's images:
/// [(slices,) (frames,) (z,) y, x] as by placed_maps(), without its margin; `name` is for messages. image:
/// [(slices,) (frames,) (z,) y, x]. Empty and Error (input) as there.
Array<std::complex<float>> placed_image(View<const std::complex<float>> image,
                                        const std::vector<ImageGeometry>& geometry, const std::string& name,
                                        ScanPlan& plan, Context& ctx);

}  // namespace larmor
