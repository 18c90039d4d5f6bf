#pragma once

#include <larmor/io/hdf5_handle.hpp>

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

// No part of the public interface.

namespace larmor::hdf5 {

/// Checks sequences of variable length in a file before the HDF5 library follows them. The library copies
/// what the heap object holds into a buffer of the length that the element claims, so that a damaged or
/// malicious file overruns memory; it walks damaged heaps without checks as well. This reads the elements and
/// the heaps they point to by itself (HDF5 File Format Specification 3.0, sections III.E "Global Heap" and
/// VIII.A "Variable-length").
class VlenGuard {
 public:
  /// `dataset` must outlive the guard and have elements that are sequences, or compounds with the `members`
  /// that are.
  VlenGuard(const std::string& path, const FileLayout& layout, Id dataset,
            const std::vector<std::string>& members);

  /// False when the dataset is stored in a way that cannot be looked into (compressed), so that check() knows
  /// nothing.
  bool applicable() const { return applicable_; }
  /// The first of elements [first, first + count) whose chunk cannot be read or has a wrong size (the library
  /// would read beyond it); nothing when all are sound.
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

  const unsigned char* element(std::uint64_t index);
  bool sound(const unsigned char* descriptor, std::size_t base_bytes);
  const Heap* heap_at(std::uint64_t address);
  bool read(std::uint64_t position, void* bytes, std::size_t count);
  bool fail(std::string reason);

  std::ifstream file_;
  FileLayout layout_;
  Id dataset_;
  std::vector<Member> members_;
  std::size_t element_bytes_ = 0;
  bool applicable_ = false, chunked_ = false;
  std::uint64_t chunk_elements_ = 0, data_position_ = 0;
  std::optional<std::uint64_t> loaded_chunk_;
  bool chunk_stored_ = false;
  std::vector<unsigned char> buffer_;
  std::unordered_map<std::uint64_t, Heap> heaps_;
  std::string reason_;
};

}  // namespace larmor::hdf5
