#pragma once

#include <larmor/core/data/image.hpp>

#include <array>
#include <string>
#include <vector>

// How images share NIfTI files and where those lie; no part of the public interface.

namespace larmor {

/// Row-major: scanner RAS mm = affine · (i, j, k, 1), i along x.
using Affine = std::array<std::array<double, 4>, 4>;

/// Images that one NIfTI file describes: slices of one stack (or one volume) in all their frames.
struct NiftiStack {
  std::size_t slices = 1;           ///< images along z; 1 for volumes
  std::size_t repetitions = 1;      ///< dimension 5 is used when there are repetitions and other frames
  std::size_t other_frames = 1;     ///< sets × phases × contrasts
  std::vector<std::size_t> images;  ///< index in the series, [repetition][other][slice], slice fastest
  Affine affine{};
  std::array<double, 3> voxel_mm{1, 1, 1};
  bool oriented = true;    ///< false: directions not known, the affine only scales
  bool orthogonal = true;  ///< false: the slices are staggered, which a quaternion cannot say
  std::string warning;     ///< why the images are not in one file, or are not oriented; empty: all is well
};

/// Splits a series into stacks. Frames are the repetitions, contrasts, phases and sets that the images have;
/// when their slices do not agree every frame is a stack of its own. LPS of the geometry becomes RAS.
std::vector<NiftiStack> nifti_stacks(const ImageSeries& series);

}  // namespace larmor
