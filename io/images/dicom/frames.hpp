#pragma once

#include <larmor/core/data/image.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace larmor::dicom {

/// A slice of an image as a frame of a file.
struct Frame {
  const Image* image = nullptr;
  Index coil = 0, z = 0;
  Vec3 position{};                                         ///< centre of its first voxel, LPS mm
  std::uint32_t stack = 1, place = 1, time = 1, kind = 1;  ///< from 1: where and when among the others
  std::string label;  ///< "repetition 2 coil 3"; empty where there is one of each
};

/// All frames of a series: stack by stack, place by place for every repetition and every other counter.
struct Frames {
  std::vector<Frame> frames;
  Vec3 voxel_mm{};        ///< of all images: pixel sizes along x and y, thickness
  double spacing_mm = 0;  ///< between slices
  Index columns = 0, rows = 0;
  bool oriented = true;
  std::uint32_t kinds = 1;  ///< how many combinations of contrast, phase, set and coil
};
Frames frames_of(const ImageSeries& series);

/// Pixels as a file holds them: value = slope * stored + intercept.
struct StoredPixels {
  std::vector<std::uint16_t> values;
  double slope = 1, intercept = 0;
  double window_center = 0, window_width = 1;  ///< in values
};
/// Phase covers -pi to pi, magnitude 0 to its largest, real numbers from their least to their largest with 0
/// among the steps; what is not finite is stored as 0. The window ends at the 99.5 percentile, and is as wide
/// below 0 where there are such numbers.
StoredPixels stored_pixels(const Frames& frames, ImageKind kind);

}  // namespace larmor::dicom
