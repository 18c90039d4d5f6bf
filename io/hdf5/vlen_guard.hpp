#pragma once

#include <larmor/io/hdf5/storage.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

// No part of the public interface.

namespace larmor::hdf5 {

/// Checks sequences of variable length in a file before the HDF5 library follows them. The library copies
/// what the heap object holds into a buffer of the length that the element claims, so that a damaged or
/// malicious file overruns memory; it walks damaged heaps without checks as well. This reads the elements and
/// the heaps they point to by itself (HDF5 File Format Specification 3.0: III.E global heap, VIII.A variable
/// length). Elements of compressed datasets cannot be looked into and count as sound.
class VlenGuard {
 public:
  /// `dataset` is the open dataset at `path` with elements that are sequences, or compounds with the
  /// `members` that are.
  VlenGuard(Id file, const std::string& path, Id dataset, const std::vector<std::string>& members);

  /// The first of elements [first, first + count) whose chunk has a wrong size or place; nothing when all are
  /// sound.
  std::optional<std::uint64_t> first_misplaced(std::uint64_t first, std::uint64_t count);
  /// The first of elements [first, first + count) that is misplaced or has a sequence that is damaged.
  std::optional<std::uint64_t> first_damaged(std::uint64_t first, std::uint64_t count);
  /// Why, in words.
  const std::string& reason() const { return reason_; }

 private:
  struct Member {
    std::size_t offset;      ///< in the element
    std::size_t base_bytes;  ///< of one entry of the sequence in the file
  };
  using Heap = std::unordered_map<std::uint32_t, std::uint64_t>;  ///< size of every object, by its index

  bool locate(std::uint64_t index, std::optional<std::uint64_t>& address);
  bool sound(std::uint64_t address, std::size_t base_bytes);
  const Heap* heap_at(std::uint64_t address);
  bool fail(std::string reason);

  FileBytes bytes_;
  Storage storage_;
  std::vector<Chunk> chunks_;
  std::vector<Member> members_;
  std::size_t element_bytes_ = 0;
  bool compressed_ = false;
  std::unordered_map<std::uint64_t, Heap> heaps_;
  std::string reason_;
};

}  // namespace larmor::hdf5
