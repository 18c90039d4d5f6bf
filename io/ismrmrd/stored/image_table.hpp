#pragma once

#include <larmor/io/hdf5/file.hpp>
#include <larmor/io/ismrmrd/stored/sink.hpp>

// Not part of the public interface.

namespace larmor::ismrmrd {

/// Passes the pixels of a group of images to the sink; `group` as "dataset/image_0", empty: the only one. A
/// Silence must exist. Throws Error (input) for files without images or with several groups of them, for
/// damaged files, and for images that claim far more pixels than their file has room for.
void read_image_pixels(const hdf5::File& file, const std::string& group, ImageSink& sink);

/// Passes the scan's XML and the images' headers to the sink, [images, image_header_numbers]. Throws as
/// read_image_pixels().
void read_image_headers(const hdf5::File& file, const std::string& group, ImageSink& sink);

}  // namespace larmor::ismrmrd
