#pragma once

#include <larmor/io/hdf5/output.hpp>
#include <larmor/io/ismrmrd/stored/source.hpp>

// Not part of the public interface.

namespace larmor::ismrmrd {

/// Images as the ISMRMRD library writes them, from: the text "xml", which may be empty; the number of groups
/// (64 bits); for each an ImageGroup, for each of its images an ImageHeaderRecord and the text of its
/// attributes, then all pixels. Throws Error (resource).
void write_images(hdf5::Output& output, Source& source);

}  // namespace larmor::ismrmrd
