#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>

#include <atomic>
#include <cstddef>
#include <string>

namespace LARMOR_API larmor {

/// Selects what is read of a file.
struct IsmrmrdReadOptions {
  std::string group{};           ///< HDF5 group; empty: the only one with acquisitions, whatever its name
  std::size_t memory_limit = 0;  ///< memory limit of the scan in bytes; 0: the available memory
  /// True if the trajectory comes from elsewhere: readouts that declare one but store none are then accepted
  /// as having none.
  bool external_trajectory = false;
  Context* workers = nullptr;  ///< borrowed: its threads read; null: as many as the process may use
  const std::atomic<bool>* cancel = nullptr;  ///< set from outside to stop at the next safe point
  std::string helper{};                       ///< path of larmor-read; empty: found beside the library
};

/// Reads ISMRMRD raw data from an HDF5 file, which is opened for reading only and never changed. It is read
/// by a separate process, larmor-read, which has this file open and can do nothing else: with damaged or
/// malicious files the HDF5 library crashes, hangs or worse, and must not do so here. The content is kept
/// unchanged; rules of reconstruction (flags, units, fields of view) are not applied here. Throws Error:
/// input with the acquisition's index for inconsistent or damaged data, resource before allocating if the
/// data need more than the limit and if larmor-read does not exist or can be modified by others, cancelled.
Scan read_ismrmrd(const std::string& path, const IsmrmrdReadOptions& options = {});

}  // namespace larmor
