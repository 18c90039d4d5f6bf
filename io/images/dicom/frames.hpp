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
  std::uint32_t stack = 1, place = 1, time = 1, kind = 1;  ///< from 1: position, time and other indices
  std::string label;  ///< "repetition 2 coil 3"; empty if there is one of each
};

/// All frames of a series, ordered by stack, position, repetition and the other counters.
struct Frames {
  std::vector<Frame> frames;
  Vec3 voxel_mm{};        ///< of all images: pixel sizes along x and y, thickness
  double spacing_mm = 0;  ///< between slices
  Index columns = 0, rows = 0;
  bool oriented = true;
  std::uint32_t kinds = 1;  ///< number of combinations of contrast, phase, set and coil
};
Frames frames_of(const ImageSeries& series);

/// Pixels as stored in a file: value = slope * stored + intercept.
struct StoredPixels {
  std::vector<std::uint16_t> values;
  double slope = 1, intercept = 0;
  double window_center = 0, window_width = 1;  ///< in values
};
/// Phase covers -pi to pi, magnitude 0 to its maximum, real numbers their minimum to their maximum with 0
/// among the steps; values that are not finite are stored as 0. The window ends at the 99.5 percentile, and
/// extends as far below 0 if there are negative numbers.
StoredPixels stored_pixels(const Frames& frames, ImageKind kind);

}  // namespace larmor::dicom
