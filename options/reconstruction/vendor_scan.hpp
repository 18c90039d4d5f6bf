#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/io/ismrmrd/reader.hpp>

#include <string>
#include <vector>

namespace larmor::app {

/// The files of which a scan consists: the file itself; for a vendor's raw data also the files that the
/// converter reads beside it (.lab, .raw and .sin of Philips; the files of a Bruker experiment) and files
/// named in LARMOR_CONVERTER_OPTIONS. Some need not exist. Empty for an empty path.
std::vector<std::string> files_of_scan(const std::string& path);

/// Reads a scan: an ISMRMRD file, or a vendor's raw data through the converter on PATH (siemens_to_ismrmrd,
/// ge_to_ismrmrd, philips_to_ismrmrd, bruker_to_ismrmrd), which writes a temporary file that is removed
/// again. Of several measurements in a Siemens file the last is read; the words of the environment variable
/// LARMOR_CONVERTER_OPTIONS are passed to the converter. `quiet`: the converter's output is not shown. Throws
/// Error: input if the converter does not exist or fails; cancelled; otherwise like read_ismrmrd().
Scan read_any_scan(const std::string& path, const IsmrmrdReadOptions& options, bool quiet);

}  // namespace larmor::app
