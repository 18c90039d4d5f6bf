#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/io/ismrmrd/reader.hpp>

#include <string>
#include <vector>

namespace larmor::app {

/// The files that a scan consists of: the file itself; of raw data of a vendor also what the converter reads
/// beside it (.lab, .raw and .sin of Philips; the files of a Bruker experiment) and files that
/// LARMOR_CONVERTER_OPTIONS names. Some need not exist. Empty for an empty path.
std::vector<std::string> files_of_scan(const std::string& path);

/// Reads a scan: an ISMRMRD file, or raw data of a vendor by the converter that is on PATH
/// (siemens_to_ismrmrd, ge_to_ismrmrd, philips_to_ismrmrd, bruker_to_ismrmrd), which writes a temporary file
/// that is removed again. Of several measurements in a Siemens file the last is read; the words of the
/// environment's LARMOR_CONVERTER_OPTIONS go to the converter too. `quiet`: what the converter prints is not
/// shown. Throws Error: input for raw data whose converter is not there, or fails; cancelled; otherwise like
/// read_ismrmrd().
Scan read_any_scan(const std::string& path, const IsmrmrdReadOptions& options, bool quiet);

}  // namespace larmor::app
