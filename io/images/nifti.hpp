#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/io/files/written_files.hpp>

#include <functional>
#include <string>
#include <vector>

namespace larmor {

struct NiftiOptions {
  bool overwrite = false;
  int threads = 0;           ///< threads that compress; 0: all
  double frame_seconds = 0;  ///< between the repetitions; 0: unknown, dimension 4 then has no unit
  /// Text of a sidecar file for each file named by sidecar_path(), from the name and the first slices of the
  /// volumes in their order; empty: none.
  std::function<std::string(const std::string&, const std::vector<const Image*>&)> sidecar{};
};

/// Writes NIfTI-1 (.nii, compressed for .nii.gz) in scanner coordinates: sform and qform map voxel indices to
/// RAS millimetres. Dimensions 1 to 3 are x, y, z; slices of one stack become z, ordered by position. The
/// other indices run along dimension 4: repetitions, or if there are none, coils, sets, phases and contrasts
/// (coils fastest); if there are repetitions and others, the others are dimension 5. magnitude and phase are
/// float32, complex is complex64. Slices that are not parallel and evenly spaced go to separate files,
/// NAME_1.nii, NAME_2.nii, ...; images with unknown directions get no orientation. Both give a warning.
/// Throws like AtomicFile.
WrittenFiles write_nifti(const std::string& path, const ImageSeries& series,
                         const NiftiOptions& options = {});

}  // namespace larmor
