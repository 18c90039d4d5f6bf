#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/images/measurement.hpp>
#include <larmor/io/ismrmrd/stored/records.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// Not part of the public interface.

namespace larmor::ismrmrd {

/// An image's header in the form of files and streams. index: image_index.
hdf5::ImageHeaderRecord image_record(const Image& image, const SeriesShape& shape, ImageKind kind,
                                     std::size_t index);
/// Its attributes as XML: role, type, directions, echo time, and `more` names with their values.
std::string image_attributes(const Image& image, ImageKind kind, const Measurement& facts,
                             const std::vector<std::pair<std::string, std::string>>& more = {});

}  // namespace larmor::ismrmrd
