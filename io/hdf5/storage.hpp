#pragma once

#include <larmor/io/hdf5/handle.hpp>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

// Where a dataset lies in its file, read without the HDF5 library; no part of the public interface.
//
// The library trusts the older structures of the format, which have no checksums: a damaged extent of a chunk
// makes it divide by zero, a damaged size overruns memory. These functions look at such structures first
// (HDF5 File Format Specification 3.0: III.A.1 version 1 B-trees, IV.A.1 version 1 object headers, IV.A.2.i
// layout messages). What has checksums, or is stored in a way not known here, is left to the library.

namespace larmor::hdf5 {

/// The bytes of an open file; addresses count from its base address.
class FileBytes {
 public:
  explicit FileBytes(Id file);
  /// False when addresses or lengths do not have the usual 8 bytes, so that nothing here applies.
  bool usual() const { return usual_; }
  std::uint64_t size() const { return size_; }
  /// False when the range leaves the file, or reading fails.
  bool read(std::uint64_t address, void* bytes, std::size_t count);
  template <typename T>
  bool read(std::uint64_t address, T& value) {
    return read(address, &value, sizeof value);
  }

 private:
  std::ifstream file_;
  std::uint64_t base_ = 0, size_ = 0;
  bool usual_ = false;
};

struct Chunk {
  std::uint64_t first = 0;  ///< element
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

struct Storage {
  enum class Kind { unknown, damaged, contiguous, chunked };
  Kind kind = Kind::unknown;
  std::string reason;                  ///< why it is damaged
  std::uint64_t address = 0;           ///< of the data, or of the index of chunks; all ones: nothing stored
  std::vector<std::uint64_t> extents;  ///< of a chunk, the bytes of one element last
};

/// The layout of the dataset at a path; unknown also for groups and for links to other files.
Storage read_storage(Id file, FileBytes& bytes, const std::string& path);

/// The chunks of a dataset of one dimension, in order. False, and storage.kind damaged, when the index is
/// damaged.
bool read_chunks(FileBytes& bytes, Storage& storage, std::vector<Chunk>& chunks);

}  // namespace larmor::hdf5
