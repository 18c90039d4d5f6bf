#pragma once

#include <larmor/io/hdf5/file.hpp>
#include <larmor/io/ismrmrd/stored/sink.hpp>

// No part of the public interface.

namespace larmor::ismrmrd {

/// Hands a group's XML header and table of acquisitions to the sink, as they are stored: headers first, from
/// which the memory is known, then trajectories and samples. `group` as for hdf5::choose_group(). A Silence
/// must be alive. Throws Error (input), with the acquisition's number where there is one, for what is damaged
/// or cannot be checked.
void read_acquisitions(const hdf5::File& file, const std::string& group, AcquisitionSink& sink);

}  // namespace larmor::ismrmrd
