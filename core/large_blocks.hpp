#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace larmor {

/// Memory in whole huge pages, for large arrays. The system clears every page that it provides, which takes
/// longer than filling it, and many times as long on a virtual machine: pages of released blocks are
/// therefore moved into later blocks of any size (Linux' mremap moves page table entries, not bytes). New
/// pages are requested only when none are left over, so that released ones never increase the peak memory.
class LargeBlocks {
 public:
  static constexpr std::size_t page = std::size_t{2} << 20;

  /// Keeps up to `most` bytes of released blocks.
  explicit LargeBlocks(std::size_t most) : most_(most) {}
  LargeBlocks(const LargeBlocks&) = delete;
  ~LargeBlocks();

  /// bytes: a multiple of page. Null if the system has no addresses or no memory for it.
  void* take(std::size_t bytes);
  void give_back(void* block);
  /// Bytes of released blocks that are available for the next one.
  std::size_t held() const;
  /// Returns these to the system.
  void release();

 private:
  // A part of one mapping: the system does not move ranges across the border of two.
  struct Piece {
    char* at;
    std::size_t bytes;
  };
  std::vector<Piece> take_pieces(std::size_t bytes);
  void release_pieces();

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::map<void*, std::vector<Piece>> used_;
  std::vector<Piece> spare_;
  std::size_t held_ = 0;
};

}  // namespace larmor
