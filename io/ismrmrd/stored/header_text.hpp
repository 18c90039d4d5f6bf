#pragma once

#include <larmor/io/hdf5/links.hpp>

#include <string>

// Not part of the public interface.

namespace larmor::ismrmrd {

/// The text of a dataset: an ISMRMRD header as XML. A Silence must exist. Throws Error (input) if it is not
/// text, empty or too long.
std::string read_header_text(const hdf5::File& file, const std::string& path);

}  // namespace larmor::ismrmrd
