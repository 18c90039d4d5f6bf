#pragma once

#include <larmor/io/hdf5/file.hpp>

#include <cstdint>
#include <string>
#include <vector>

// Location of a dataset in its file, read without the HDF5 library; not part of the public interface. The
// library trusts the older structures of the format, which have no checksums: a damaged extent of a chunk
// causes a division by zero, a damaged size overruns memory. These functions check such structures first
// (HDF5 File Format Specification 3.0: III.A.1 version 1 B-trees, IV.A.1 object headers, IV.A.2.i layout
// messages). For other chunk indices the library is used.

namespace larmor::hdf5 {

/// Content of an element that is a sequence of variable length: length 4, heap address 8, index 4.
inline constexpr std::size_t sequence_bytes = 16;

struct Chunk {
  std::uint64_t first = 0;  ///< element
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

struct Storage {
  enum class Kind { unknown, damaged, compact, contiguous, chunked };
  Kind kind = Kind::unknown;
  std::string reason;                  ///< reason of the damage
  std::uint64_t address = 0;           ///< of the data, or of the chunk index; all ones: nothing is stored
  std::vector<std::uint64_t> extents;  ///< of a chunk; the last is the size of an element in bytes
};

/// The layout of the dataset with the object header at the address; unknown for other objects.
Storage read_storage(const File& file, std::uint64_t address);

/// The chunks of a one-dimensional dataset, in order. False, and storage.kind damaged, if the index is
/// damaged.
bool read_chunks(const File& file, Storage& storage, std::vector<Chunk>& chunks);

/// Location of the elements of a one-dimensional dataset.
class ElementPlaces {
 public:
  /// `dataset` is open, its object header is at `address`. Throws Error (input), prefixed with `what`, for
  /// datasets whose elements are not stored plainly in the file: compressed, compact, external.
  ElementPlaces(const File& file, std::uint64_t address, Id dataset, const std::string& what);

  std::size_t element_bytes() const { return element_bytes_; }
  /// The bytes of an element; empty if it is not stored. False if it is damaged: see reason().
  bool find(std::uint64_t index, std::span<const std::uint8_t>& element);
  const std::string& reason() const { return reason_; }

 private:
  bool find_chunk(std::uint64_t index, Chunk& chunk);
  bool fail(std::string reason);

  const File& file_;
  Id dataset_;
  Storage storage_;
  std::vector<Chunk> chunks_;
  bool ask_library_ = false;
  std::uint64_t chunk_elements_ = 0;
  std::size_t element_bytes_ = 0;
  std::string reason_;
};

/// Throws Error (input), prefixed with `what`, unless a dataset's values are in this file and packed with
/// filters of the library itself: deflate, shuffle, fletcher32, szip.
void require_own_values(Id dataset, const std::string& what);

}  // namespace larmor::hdf5
