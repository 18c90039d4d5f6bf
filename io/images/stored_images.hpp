#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/data/placed_maps.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Images of a file, with all that it says about them.
struct StoredImages {
  /// Pixels of all images, one after the other: [(images,) (coils,) (z,) y, x] as read_array() gives them.
  Array<std::complex<float>> pixels;
  /// Place, counters and time of each image, without pixels; empty for formats that know none.
  std::vector<Image> images;
  ImageKind kind = ImageKind::magnitude;  ///< as the file names it
  std::string ismrmrd_header;             ///< XML; may be empty
  double frame_seconds = 0;               ///< between repetitions; 0: not known
};

/// The images as writers take them. Real numbers with a sign are ImageKind::real whatever the file calls
/// them, unless they are phases from -pi to pi. Images of formats that know no place are [(images,) (z,) y,
/// x] with pixels of 1 mm, directions not known. Throws Error (input), naming `path`, for other arrays.
ImageSeries series_of(StoredImages stored, const std::string& path);

/// The pixels as coil maps, [(slices,) (frames,) (coils,) (z,) y, x], and where the slices lie; as read,
/// without geometry, where that is not known of all images. Frames are contrasts, phases, repetitions and
/// sets. Throws Error (input), naming `path`, where slices do not have the same frames.
PlacedMaps placed_maps_of(StoredImages stored, const std::string& path);

}  // namespace larmor
