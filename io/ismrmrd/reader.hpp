#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>

#include <atomic>
#include <cstddef>
#include <string>

namespace LARMOR_API larmor {

/// What of a file is read.
struct IsmrmrdReadOptions {
  std::string group;             ///< HDF5 group; empty: the only one with acquisitions, whatever its name
  std::size_t memory_limit = 0;  ///< bytes that the scan may take; 0: what the machine has available
  /// True when the trajectory comes from elsewhere: readouts that declare one and store none are then taken
  /// as having none.
  bool external_trajectory = false;
  int threads = 0;  ///< that fetch numbers from the file; 0: as many as the process may use
  const std::atomic<bool>* cancel = nullptr;  ///< set from outside to stop at the next safe point
  /// True: samples stay in the file until somebody asks for them (Scan::in_file), so that of several
  /// processes each reads what it works on. Files whose numbers have to be converted are read at once all the
  /// same.
  bool on_demand = false;
  std::string helper{};  ///< path of larmor-read; empty: found beside the library
};

/// Reads ISMRMRD raw data from an HDF5 file, which is opened for reading only and never changed. It is read
/// by a process of its own, larmor-read, which has this file open and can do nothing else: the HDF5 library
/// crashes, hangs or worse with damaged or malicious files, and must not do so here. What the file says is
/// kept as it is; rules of reconstruction (flags, units, fields of view) are not applied here. Throws Error:
/// input with the acquisition's index for whatever contradicts itself or is damaged, resource before
/// allocating when the data need more than the limit and when larmor-read is not there or may be written by
/// others, cancelled.
Scan read_ismrmrd(const std::string& path, const IsmrmrdReadOptions& options = {});

}  // namespace larmor
