#pragma once

#include <larmor/io/hdf5/storage.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

// Not part of the public interface.

namespace larmor::hdf5 {

/// Finds sequences of variable length in a file without the HDF5 library (HDF5 File Format Specification 3.0:
/// III.E global heap, VIII.A variable length). The library copies the content of a heap object into a buffer
/// of the length that the element claims, so that a damaged or malicious file overruns memory; it also walks
/// damaged heaps without checks. Here only checked data are returned.
class SequenceReader {
 public:
  explicit SequenceReader(const File& file) : file_(file) {}

  struct Sequence {
    std::uint64_t length = 0;             ///< entries
    std::span<const std::uint8_t> bytes;  ///< of all entries, in the file
  };

  /// The sequence of an element's descriptor; `entry_bytes` is the size of an entry in the file. False if it
  /// is damaged: see reason().
  bool find(const std::uint8_t* descriptor, std::size_t entry_bytes, Sequence& sequence);
  const std::string& reason() const { return reason_; }

 private:
  struct Object {
    std::uint32_t index;
    std::uint64_t address, bytes;
  };
  using Heap = std::vector<Object>;  // sorted by index

  const Heap* heap_at(std::uint64_t address);
  bool fail(std::string reason);

  const File& file_;
  std::unordered_map<std::uint64_t, Heap> heaps_;
  std::uint64_t walked_ = 0, handed_out_ = 0;  // bytes
  std::string reason_;
};

}  // namespace larmor::hdf5
