#pragma once

#include <larmor/io/hdf5/handle.hpp>
#include <larmor/io/ismrmrd/stored/records.hpp>

// The HDF5 types of ISMRMRD's structures; not part of the public interface.

namespace larmor::hdf5 {

/// A sequence of variable length as the library returns it (hvl_t).
struct Sequence {
  std::size_t length;
  void* values;
};
/// One row of the table of acquisitions in memory.
struct AcquisitionRecord {
  AcquisitionHeaderRecord head;
  Sequence traj, data;
};

/// One row of the table of waveforms in memory.
struct WaveformRecord {
  WaveformHeaderRecord head;
  Sequence data;
};

Handle acquisition_header_type();
Handle waveform_header_type();
Handle image_header_type();
/// Two floats or doubles named real and imag.
Handle complex_type(Id real_type);
/// A compound of two floats in memory, for a compound of two numbers in a file; members match by name.
Handle pair_of_floats(Id pair);
/// AcquisitionRecord with sequences of floats.
Handle acquisition_type();
/// WaveformRecord with sequences of 32-bit numbers.
Handle waveform_type();
/// The members of `wanted` that `available` also has (also inside compounds), at the same offsets; -1 if
/// there are none.
Handle common_members(Id wanted, Id available);

}  // namespace larmor::hdf5
