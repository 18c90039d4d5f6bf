#pragma once

#include <larmor/core/data/image.hpp>

#include <string>

namespace larmor {

/// Throws Error (resource) where the program that writes such files, larmor-write, is not there or may be
/// written by others.
void require_ismrmrd_images(const std::string& path);

/// Writes ISMRMRD images as the ISMRMRD library does: group "dataset/image_0" with header, attributes and
/// data [images, coils, z, y, x], series.ismrmrd_header as "dataset/xml". Images of another field of view
/// are in "dataset/image_1" and so on. magnitude and phase are float, complex is complex float; image_type
/// says which. The attributes (ismrmrdMeta) name what was done, the directions and the echo time. Throws
/// Error: internal when the images' shapes differ, usage when an extent exceeds the header's 16 bits,
/// otherwise like AtomicFile.
void write_ismrmrd_images(const std::string& path, const ImageSeries& series, bool overwrite = false);

}  // namespace larmor
