#pragma once

#include <larmor/core/data/placed_maps.hpp>
#include <larmor/core/export.hpp>
#include <larmor/io/files/written_files.hpp>

#include <string>
#include <vector>

namespace LARMOR_API larmor {

// Files of coil maps: .npy and .cfl, whose positions are in FILE.json beside them, and images (.nii, .nii.gz,
// .h5), which contain their position.

/// The file beside an array that gives the position of its maps: "maps.npy.json"; empty for images.
std::string maps_geometry_path(const std::string& path);

/// Coil maps and their position, if the file gives it. An affine that is the identity means unknown. Throws
/// Error: usage for other extensions, input for damaged files, for positions that belong to other numbers and
/// for axes that are not at right angles within a slice, resource.
PlacedMaps read_coil_maps(const std::string& path);

/// Writes maps of a volume [(sets,) coils, z, y, x], of a slice [(sets,) coils, y, x] or of several slices
/// along the first axis, in the format of the extension; `geometry` of every slice, `sets`: number of sets.
/// Throws Error: usage for other extensions and for slices of several fields of view in .h5, internal for
/// shapes that do not fit, otherwise like AtomicFile.
WrittenFiles write_coil_maps(const std::string& path, View<const std::complex<float>> maps,
                             const std::vector<ImageGeometry>& geometry, Index sets, bool overwrite = false);

/// Throws Error, before any work, unless write_coil_maps() could write these files, as check_output_path().
void check_maps_path(const std::string& path, bool overwrite, const std::vector<std::string>& inputs = {});

}  // namespace larmor
