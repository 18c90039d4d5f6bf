#pragma once

#include <larmor/io/hdf5/file.hpp>
#include <larmor/io/ismrmrd/stored/sink.hpp>

// No part of the public interface.

namespace larmor::ismrmrd {

/// Hands the pixels of a group of images to the sink; `group` as "dataset/image_0", empty: the only one. A
/// Silence must be alive. Throws Error (input) for files without images or with several groups of them, for
/// damaged files, and for images that claim far more pixels than their file has room for.
void read_image_pixels(const hdf5::File& file, const std::string& group, ImageSink& sink);

/// Numbers of an image's header that say where it lies, as floats: matrix, field of view in mm, position,
/// read, phase and slice direction (each x, y, z), then the counters slice and set.
inline constexpr std::uint64_t image_place_numbers = 20;
/// Hands these numbers to the sink, [images, image_place_numbers]. Throws as read_image_pixels().
void read_image_places(const hdf5::File& file, const std::string& group, ImageSink& sink);

}  // namespace larmor::ismrmrd
