#pragma once

#include <larmor/io/files/descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Memory that one process fills and another reads; not part of the public interface.

namespace larmor::isolated {

/// Memory being filled. If the user's limit of file sizes leaves no room for shared memory, it is private
/// memory of this process.
class Segment {
 public:
  /// Throws Error (resource).
  explicit Segment(std::size_t bytes);
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();
  std::span<std::byte> bytes() const { return {address_, size_}; }
  bool shared() const { return memory_.valid(); }
  /// Ends writing permanently, also for other holders of the descriptor, and returns it. For shared memory.
  Descriptor seal();

 private:
  void unmap();

  Descriptor memory_;
  std::vector<std::uint64_t> own_;
  std::byte* address_ = nullptr;
  std::size_t size_;
};

/// Memory from another process, which nobody can change any more: checks stay valid.
class SealedSegment {
 public:
  SealedSegment() = default;
  /// Nothing is mapped, valid() is false, unless the descriptor is sealed memory of at most `most_bytes`.
  /// Throws Error (resource) if there is not enough memory.
  SealedSegment(Descriptor memory, std::size_t most_bytes);
  SealedSegment(SealedSegment&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  SealedSegment& operator=(SealedSegment&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~SealedSegment();
  bool valid() const { return !bytes_.empty(); }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace larmor::isolated
