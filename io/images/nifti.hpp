#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/data/image.hpp>
#include <larmor/io/files/written_files.hpp>

#include <complex>
#include <string>

namespace larmor {

/// Writes NIfTI-1 (.nii, compressed for .nii.gz) in scanner coordinates: sform and qform map voxel indices to
/// RAS millimetres. Dimensions 1 to 3 are x, y, z; slices of one stack become z, in the order of their
/// positions. What is left runs along dimension 4: repetitions, or when there are none, coils, sets, phases
/// and contrasts (coils fastest); when there are repetitions and others, the others are dimension 5.
/// magnitude and phase are float32, complex is complex64.
/// Slices that are not parallel and evenly spaced go to files of their own, NAME_1.nii, NAME_2.nii, ...;
/// images whose directions are not known get no orientation. Both give a warning. Throws like AtomicFile.
WrittenFiles write_nifti(const std::string& path, const ImageSeries& series, bool overwrite = false);

/// Pixels of a NIfTI file, row-major with x last: [(5,) (4,) (z,) y, x]; axes of length 1 before y are
/// dropped. scl_slope and scl_inter are applied. Throws Error: input for other or damaged files, resource.
Array<std::complex<float>> read_nifti(const std::string& path);

}  // namespace larmor
