#pragma once

#include <larmor/io/hdf5/handle.hpp>

// Not part of the public interface.

namespace larmor::hdf5 {

/// Output of descriptor_driver(), in the library's file access properties.
struct DescriptorOutput {
  int descriptor;  ///< of a file open for reading and writing
  int* error;      ///< errno of the first failure; 0: none
};

/// A file driver of the library that writes to an open file, whatever name the library gives. The library
/// cannot handle a full disk: it keeps the file that it could not write, and crashes with it at the end of
/// the program. Failures are therefore reported to `error` only, and nothing more is written.
Handle descriptor_driver();

}  // namespace larmor::hdf5
