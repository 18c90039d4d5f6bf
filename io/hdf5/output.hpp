#pragma once

#include <larmor/io/hdf5/handle.hpp>

#include <string>

// Not part of the public interface.

namespace larmor::hdf5 {

/// An HDF5 file that is assembled in memory and written as a whole: the library cannot handle a full disk, it
/// keeps the file it could not write and crashes with it at the end of the program.
class Output {
 public:
  explicit Output(std::string name);  ///< for messages
  /// Throws Error (resource) if `status`, an identifier or a return value of the library, is negative.
  void require(Id status) const;
  Handle make_group(const std::string& name) const;
  /// Properties of datasets without time stamps, so that the same content gives the same file.
  Handle dataset_properties() const;
  /// One string of variable length, as the ISMRMRD library expects it.
  void write_text(Id group, const std::string& name, const std::string& text) const;
  /// Writes to an open file. All handles of objects in this one must be closed. Throws Error (resource).
  void write_to(int descriptor);

 private:
  Silence silence_;
  std::string name_;
  Handle access_, file_;
};

}  // namespace larmor::hdf5
