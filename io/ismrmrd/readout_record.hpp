#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/io/ismrmrd/stored/records.hpp>

// Not part of the public interface.

namespace larmor::ismrmrd {

/// Converts a readout's header to and from the record in files and streams. The record's channel mask follows
/// from the number of channels; user fields are zero.
ReadoutHeader to_header(const hdf5::AcquisitionHeaderRecord& record);
hdf5::AcquisitionHeaderRecord to_record(const ReadoutHeader& header);

}  // namespace larmor::ismrmrd
