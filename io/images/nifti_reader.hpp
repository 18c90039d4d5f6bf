#pragma once

#include <larmor/core/array.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/images/stored_images.hpp>

#include <complex>
#include <string>

namespace larmor {

/// Pixels of a NIfTI file, row-major with x last: [(5,) (4,) (z,) y, x]; axes of length 1 before y are
/// dropped. scl_slope and scl_inter are applied. Throws Error: input for other or damaged files, resource.
Array<std::complex<float>> read_nifti(const std::string& path);
/// The same from an open file; `name` is for messages.
Array<std::complex<float>> read_nifti(Descriptor file, const std::string& name);

/// The same with the information of the header. Dimensions 1 to 3 are a volume, or separate slices if the
/// third is not at right angles to the others; dimension 4 counts repetitions, further ones contrasts.
/// Positions are those of the sform or, without one, of the qform, in LPS; an identity means unknown. Throws
/// Error as read_nifti(), and input for slices whose own axes are not at right angles and for more than 65536
/// images.
StoredImages read_nifti_images(const std::string& path);

}  // namespace larmor
