#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/data/placed_maps.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Images of a file, with all its information about them.
struct StoredImages {
  /// Pixels of all images, one after the other: [(images,) (coils,) (z,) y, x] as read_array() returns them.
  Array<std::complex<float>> pixels;
  /// Position, counters and time of each image, without pixels; empty for formats that have none.
  std::vector<Image> images;
  ImageKind kind = ImageKind::magnitude;  ///< as the file names it
  std::string ismrmrd_header;             ///< XML; may be empty
  double frame_seconds = 0;               ///< between repetitions; 0: unknown
};

/// The images as writers take them. Signed real numbers are ImageKind::real whatever the file calls them,
/// unless they are phases from -pi to pi. Images of formats without positions are [(images,) (z,) y, x] with
/// pixels of 1 mm and unknown directions. Throws Error (input), naming `path`, for other arrays.
ImageSeries series_of(StoredImages stored, const std::string& path);

/// The pixels as coil maps, [(slices,) (frames,) (coils,) (z,) y, x], and the positions of the slices;
/// without geometry, as read, if it is not known for all images. Frames are contrasts, phases, repetitions
/// and sets. Throws Error (input), naming `path`, if slices do not have the same frames.
PlacedMaps placed_maps_of(StoredImages stored, const std::string& path);

}  // namespace larmor
