#pragma once

#include <larmor/core/array.hpp>
#include <larmor/io/files/descriptor.hpp>

#include <complex>
#include <string>

namespace larmor {

/// Pixels of a NIfTI file, row-major with x last: [(5,) (4,) (z,) y, x]; axes of length 1 before y are
/// dropped. scl_slope and scl_inter are applied. Throws Error: input for other or damaged files, resource.
Array<std::complex<float>> read_nifti(const std::string& path);
/// The same from a file that is open; `name` is for messages.
Array<std::complex<float>> read_nifti(Descriptor file, const std::string& name);

}  // namespace larmor
