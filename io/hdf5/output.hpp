#pragma once

#include <larmor/io/hdf5/handle.hpp>

#include <string>

// Not part of the public interface.

namespace larmor::hdf5 {

/// An HDF5 file that is written to an open file while it is assembled.
class Output {
 public:
  /// name: for messages; descriptor: of an empty file, open for reading and writing.
  Output(std::string name, int descriptor);
  /// Throws Error (resource) if `status`, an identifier or a return value of the library, is negative, or if
  /// the file could not be written.
  void require(Id status) const;
  Handle make_group(const std::string& name) const;
  /// Properties of datasets without time stamps, so that the same content gives the same file.
  Handle dataset_properties() const;
  /// One string of variable length, as the ISMRMRD library expects it.
  void write_text(Id group, const std::string& name, const std::string& text) const;
  /// Writes the rest. All handles of objects in the file must be closed. Throws Error (resource).
  void finish();

 private:
  Silence silence_;
  std::string name_;
  int error_ = 0;  // errno of the first failure to write
  Handle driver_, access_, file_;
};

}  // namespace larmor::hdf5
