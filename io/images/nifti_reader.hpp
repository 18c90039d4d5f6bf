#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/data/placed_maps.hpp>
#include <larmor/io/files/descriptor.hpp>

#include <complex>
#include <string>

namespace larmor {

/// Pixels of a NIfTI file, row-major with x last: [(5,) (4,) (z,) y, x]; axes of length 1 before y are
/// dropped. scl_slope and scl_inter are applied. Throws Error: input for other or damaged files, resource.
Array<std::complex<float>> read_nifti(const std::string& path);
/// The same from a file that is open; `name` is for messages.
Array<std::complex<float>> read_nifti(Descriptor file, const std::string& name);

/// Coil maps, which are the file's dimensions 4 and beyond, on the voxels of dimensions 1 to 3: [coils, z, y,
/// x], or the slices of a stack whose slice axis is not at right angles to the others, [z, coils, y, x].
/// Their places are those of the sform or, without one, of the qform, in LPS; an identity says nothing.
/// Throws Error as read_nifti(), and input for slices whose own axes are not at right angles.
PlacedMaps read_nifti_maps(const std::string& path);

}  // namespace larmor
