#pragma once

#include <larmor/core/array.hpp>
#include <larmor/io/images/stored_images.hpp>

#include <atomic>
#include <complex>
#include <string>

namespace larmor {

struct ReadImagesOptions {
  std::string group{};   ///< as "dataset/image_0"; empty: the only one
  std::string helper{};  ///< path of larmor-read; empty: found beside the library
  const std::atomic<bool>* cancel = nullptr;
};

/// Pixels of ISMRMRD images, [(images,) (coils,) (z,) y, x]: axes of length 1 before y are dropped. A
/// separate process reads the file, as in read_ismrmrd(). Throws Error: input for files without images or
/// with several groups of them, for damaged files and for images that claim far more pixels than their file
/// has room for; resource if memory or larmor-read is missing; cancelled.
Array<std::complex<float>> read_ismrmrd_images(const std::string& path,
                                               const ReadImagesOptions& options = {});

/// The same with the information in their headers and that of the scan. Throws Error as
/// read_ismrmrd_images(), and input if the headers do not fit the pixels.
StoredImages read_ismrmrd_stored(const std::string& path, const ReadImagesOptions& options = {});

}  // namespace larmor
