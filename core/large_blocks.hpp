#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace larmor {

/// Memory in whole huge pages, for large arrays. The system clears every page that it gives out, which takes
/// longer than filling it, and on a virtual machine many times as long: pages of blocks that were released
/// are moved into the next ones, whatever their size (Linux' mremap moves entries of page tables, no bytes).
/// As new pages are asked for only when none are left over, released ones never add to what the blocks needed
/// together before.
class LargeBlocks {
 public:
  static constexpr std::size_t page = std::size_t{2} << 20;

  /// Keeps up to `most` bytes of released blocks.
  explicit LargeBlocks(std::size_t most) : most_(most) {}
  LargeBlocks(const LargeBlocks&) = delete;
  ~LargeBlocks();

  /// bytes: a multiple of page. Null when the system has no addresses or no memory for it.
  void* take(std::size_t bytes);
  void give_back(void* block);
  /// Bytes of released blocks that the next one may have.
  std::size_t held() const;

 private:
  // A part of one mapping: the system moves no range across the border of two.
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
