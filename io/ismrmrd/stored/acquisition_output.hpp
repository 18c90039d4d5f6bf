#pragma once

#include <larmor/io/hdf5/output.hpp>
#include <larmor/io/ismrmrd/stored/source.hpp>

// Not part of the public interface.

namespace larmor::ismrmrd {

/// Raw data as the ISMRMRD library writes them, from: the text "xml"; the number of rows (64 bits); for each
/// an AcquisitionHeaderRecord, the number of floats of its trajectory and of its data (64 bits each), and
/// these floats; the number of waveforms (64 bits); for each a WaveformHeaderRecord and its values. Throws
/// Error (resource).
void write_acquisitions(hdf5::Output& output, Source& source);

}  // namespace larmor::ismrmrd
