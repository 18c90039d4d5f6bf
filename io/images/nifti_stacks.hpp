#pragma once

#include <larmor/core/data/image.hpp>

#include <array>
#include <string>
#include <vector>

// Assignment of images to NIfTI files and their affines; not part of the public interface.

namespace larmor {

/// Row-major: scanner RAS mm = affine · (i, j, k, 1), i along x.
using Affine = std::array<std::array<double, 4>, 4>;

/// Images described by one NIfTI file: slices of one stack (or one volume) in all their frames.
struct NiftiStack {
  std::size_t slices = 1;           ///< images along z; 1 for volumes
  std::size_t repetitions = 1;      ///< dimension 5 is used if there are repetitions and other frames
  std::size_t other_frames = 1;     ///< sets × phases × contrasts
  std::vector<std::size_t> images;  ///< index in the series, [repetition][other][slice], slice fastest
  Affine affine{};
  std::array<double, 3> voxel_mm{1, 1, 1};
  bool oriented = true;    ///< false: directions unknown, the affine only scales
  bool orthogonal = true;  ///< false: the slices are staggered, which a quaternion cannot express
  std::string warning;     ///< reason why the images are not in one file or not oriented; empty: none
};

/// Splits a series into stacks. Frames are the repetitions, contrasts, phases and sets of the images; if
/// their slices differ, every frame is a separate stack. LPS of the geometry becomes RAS.
std::vector<NiftiStack> nifti_stacks(const ImageSeries& series);

}  // namespace larmor
