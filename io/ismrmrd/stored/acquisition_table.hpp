#pragma once

#include <larmor/io/hdf5/file.hpp>
#include <larmor/io/ismrmrd/stored/sink.hpp>

// Not part of the public interface.

namespace larmor::ismrmrd {

/// Passes a group's XML header and table of acquisitions to the sink, unchanged: headers first, from which
/// the memory is known, then trajectories and samples, then the waveforms. `group` as for
/// hdf5::choose_group(). A Silence must exist. Throws Error (input), with the acquisition's number if there
/// is one, for data that are damaged or cannot be checked.
void read_acquisitions(const hdf5::File& file, const std::string& group, AcquisitionSink& sink);

}  // namespace larmor::ismrmrd
