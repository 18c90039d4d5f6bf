#pragma once

#include <larmor/core/data/image.hpp>

#include <string>

namespace larmor {

/// Throws Error (resource) if larmor-write, the program that writes such files, does not exist or can be
/// modified by others.
void require_ismrmrd_images(const std::string& path);

/// Writes ISMRMRD images as the ISMRMRD library does: group "dataset/image_0" with header, attributes and
/// data [images, coils, z, y, x], series.ismrmrd_header as "dataset/xml". Images of another field of view are
/// in "dataset/image_1" and so on. magnitude and phase are float, complex is complex float; image_type tells
/// which. The attributes (ismrmrdMeta) give the processing, the directions and the echo time. Throws Error:
/// internal if the images' shapes differ, usage if an extent exceeds the header's 16 bits, otherwise like
/// AtomicFile.
void write_ismrmrd_images(const std::string& path, const ImageSeries& series, bool overwrite = false);

}  // namespace larmor
