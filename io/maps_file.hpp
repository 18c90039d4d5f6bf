#pragma once

#include <larmor/core/data/placed_maps.hpp>
#include <larmor/core/export.hpp>
#include <larmor/io/files/written_files.hpp>

#include <string>
#include <vector>

namespace LARMOR_API larmor {

// Files of coil maps: .npy and .cfl, whose places stand in FILE.json beside them, and images (.nii, .nii.gz,
// .h5), which say themselves where they lie.

/// The file beside an array that says where its maps lie: "maps.npy.json"; empty for images.
std::string maps_geometry_path(const std::string& path);

/// Coil maps and where they lie, as far as the file says. An affine that is the identity says nothing.
/// Throws Error: usage for other extensions, input for damaged files, for places that belong to other
/// numbers and for axes that are not at right angles within a slice, resource.
PlacedMaps read_coil_maps(const std::string& path);

/// Writes maps of a volume [(sets,) coils, z, y, x], of a slice [(sets,) coils, y, x] or of several, whose
/// axis comes first, in the format of the extension; `geometry` of every slice, `sets` as many as there are.
/// Throws Error: usage for other extensions and for slices of several fields of view in .h5, internal for
/// shapes that do not fit, otherwise like AtomicFile.
WrittenFiles write_coil_maps(const std::string& path, View<const std::complex<float>> maps,
                             const std::vector<ImageGeometry>& geometry, Index sets, bool overwrite = false);

/// Throws Error, before any work, unless write_coil_maps() could write these files, as check_output_path().
void check_maps_path(const std::string& path, bool overwrite, const std::vector<std::string>& inputs = {});

}  // namespace larmor
