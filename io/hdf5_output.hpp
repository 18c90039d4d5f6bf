#pragma once

#include <larmor/io/atomic_file.hpp>
#include <larmor/io/hdf5_handle.hpp>

#include <string>

// No part of the public interface.

namespace larmor::hdf5 {

/// An HDF5 file under way, in place after commit(). The library's failures (a full disk) become Errors
/// (resource).
class Output {
 public:
  Output(const std::string& target, bool overwrite);
  Id file() const { return file_; }
  /// Throws when `status`, an identifier or a return value of the library, is negative.
  void require(Id status) const;
  Handle make_group(const std::string& name) const;
  /// One string of variable length, as the ISMRMRD library reads it.
  void write_text(Id group, const std::string& name, const std::string& text) const;
  /// All handles of objects in the file must be closed.
  void commit();

 private:
  Silence silence_;
  AtomicFile target_;
  Handle file_;
};

}  // namespace larmor::hdf5
