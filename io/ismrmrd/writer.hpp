#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>

#include <string>

namespace LARMOR_API larmor {

/// Writes ISMRMRD raw data as the ISMRMRD library does: group "dataset" with xml and the tables of
/// acquisitions and waveforms. scan.xml_header is written if it exists, otherwise a header made from
/// scan.encodings. Throws Error: internal if a readout's offsets exceed scan.data or scan.trajectory, and if
/// a waveform has no whole number of samples or more than 65535, otherwise like AtomicFile.
void write_ismrmrd_raw(const std::string& path, const Scan& scan, bool overwrite = false);

}  // namespace larmor
