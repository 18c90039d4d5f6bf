#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// For programs with their own solver: the maps of one image, [coils, (z,) y, x] on the context's device, as
/// reconstruct() uses them.
Array<std::complex<float>> estimate_coil_maps(const Scan& scan, const Selection& selection, Context& ctx,
                                              std::size_t image = 0, const CoilOptions& options = {});

/// Coil maps as stored in a file, and their origin.
struct EstimatedMaps {
  Array<std::complex<float>> maps;  ///< [coils, (z,) y, x] in the scan's channels on the solve grid, rss 1 or
                                    ///< 0; [(slices,) (sets,) coils, (z,) y, x] if there are several
  Selection selection;
  std::vector<ImageGeometry> geometry;  ///< of every slice, on the solve grid
};
/// The maps that reconstruct() would use.
EstimatedMaps estimate_maps(Scan scan, const ReconstructOptions& options, Context& ctx);

}  // namespace larmor
