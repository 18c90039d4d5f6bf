#include <larmor/core/large_blocks.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

namespace larmor {
namespace {

// Reserves addresses without memory, aligned to huge pages; null if there are none.
char* reserve(std::size_t bytes) {
  const std::size_t page = LargeBlocks::page;
  void* found = mmap(nullptr, bytes + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(found);
  const std::size_t skipped = (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;
  if (skipped > 0) munmap(begin, skipped);
  munmap(begin + skipped + bytes, page - skipped);
  return begin + skipped;
}

bool map_new(char* at, std::size_t bytes) {
  if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    return false;
  madvise(at, bytes, MADV_HUGEPAGE);
  return true;
}

}  // namespace

LargeBlocks::~LargeBlocks() {
  for (const auto& [block, pieces] : used_)
    for (const Piece& piece : pieces) munmap(piece.at, piece.bytes);
  release_pieces();
}

void LargeBlocks::release_pieces() {
  for (const Piece& piece : spare_) munmap(piece.at, piece.bytes);
  spare_.clear();
  held_ = 0;
}

// Takes this many bytes of released pieces, or all there are: a piece of exactly that size, or the largest
// first.
std::vector<LargeBlocks::Piece> LargeBlocks::take_pieces(std::size_t bytes) {
  std::vector<Piece> taken;
  const auto fitting =
      std::find_if(spare_.begin(), spare_.end(), [&](const Piece& piece) { return piece.bytes == bytes; });
  if (fitting != spare_.end()) {
    taken.push_back(*fitting);
    spare_.erase(fitting);
    held_ -= bytes;
    return taken;
  }
  std::sort(spare_.begin(), spare_.end(), [](const Piece& a, const Piece& b) { return a.bytes < b.bytes; });
  while (bytes > 0 && !spare_.empty()) {
    Piece& last = spare_.back();
    const std::size_t part = std::min(bytes, last.bytes);
    taken.push_back({last.at, part});
    last.at += part;
    last.bytes -= part;
    if (last.bytes == 0) spare_.pop_back();
    bytes -= part;
    held_ -= part;
  }
  return taken;
}

void* LargeBlocks::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  char* block = reserve(bytes);
  if (block == nullptr) {
    release_pieces();
    block = reserve(bytes);
    if (block == nullptr) return nullptr;
  }
  std::vector<Piece> pieces;
  std::size_t filled = 0;
  for (const Piece& spare : take_pieces(bytes)) {
    char* const to = block + filled;
    if (mremap(spare.at, spare.bytes, spare.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
      munmap(spare.at, spare.bytes);
      continue;
    }
    pieces.push_back({to, spare.bytes});
    filled += spare.bytes;
  }
  if (filled < bytes) {
    if (!map_new(block + filled, bytes - filled)) {
      munmap(block, bytes);
      return nullptr;
    }
    pieces.push_back({block + filled, bytes - filled});
  }
  used_.emplace(block, std::move(pieces));
  return block;
}

void LargeBlocks::give_back(void* block) {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(block);
  for (Piece piece : found->second) {
    const std::size_t kept = std::min(piece.bytes, most_ - held_);
    if (kept > 0) spare_.push_back({piece.at, kept});
    if (kept < piece.bytes) munmap(piece.at + kept, piece.bytes - kept);
    held_ += kept;
  }
  used_.erase(found);
}

void LargeBlocks::release() {
  const std::lock_guard lock(mutex_);
  release_pieces();
}

std::size_t LargeBlocks::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

}  // namespace larmor
