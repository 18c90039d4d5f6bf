#include <larmor/core/large_blocks.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace larmor::test {
namespace {

constexpr std::size_t page = LargeBlocks::page;

// Fills a block with numbers derived from `seed`, one every 512 bytes.
void fill(void* block, std::size_t bytes, std::uint64_t seed) {
  auto* values = static_cast<std::uint64_t*>(block);
  for (std::size_t i = 0; i < bytes / 8; i += 64) values[i] = seed + i;
}
bool holds(const void* block, std::size_t bytes, std::uint64_t seed) {
  const auto* values = static_cast<const std::uint64_t*>(block);
  for (std::size_t i = 0; i < bytes / 8; i += 64)
    if (values[i] != seed + i) return false;
  return true;
}

TEST(LargeBlocks, AreAlignedAndApart) {
  LargeBlocks blocks(64 * page);
  std::mt19937 random(1);
  struct Used {
    void* block;
    std::size_t bytes;
    std::uint64_t seed;
  };
  std::vector<Used> used;
  for (std::uint64_t step = 0; step < 300; ++step) {
    if (used.size() > 5 || (!used.empty() && random() % 3 == 0)) {
      const std::size_t which = random() % used.size();
      EXPECT_TRUE(holds(used[which].block, used[which].bytes, used[which].seed));
      blocks.give_back(used[which].block);
      used.erase(used.begin() + static_cast<std::ptrdiff_t>(which));
    }
    const std::size_t bytes = (1 + random() % 9) * page;
    void* block = blocks.take(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % page, 0u);
    fill(block, bytes, step << 40);
    used.push_back({block, bytes, step << 40});
  }
  for (const Used& each : used) EXPECT_TRUE(holds(each.block, each.bytes, each.seed));
}

TEST(LargeBlocks, GiveReleasedPagesToBlocksOfOtherSizes) {
  LargeBlocks blocks(64 * page);
  void *small = blocks.take(3 * page), *large = blocks.take(8 * page);
  fill(small, 3 * page, 1);
  fill(large, 8 * page, 2);
  blocks.give_back(small);
  blocks.give_back(large);
  EXPECT_EQ(blocks.held(), 11 * page);
  void* both = blocks.take(10 * page);
  EXPECT_EQ(blocks.held(), 1 * page);
  // Pages with old contents were reused, not newly given by the system.
  std::size_t kept = 0;
  for (std::size_t p = 0; p < 10; ++p)
    kept += static_cast<std::uint64_t*>(both)[p * page / 8 + 64] != 0 ? 1 : 0;
  EXPECT_EQ(kept, 10u);
  blocks.give_back(both);
  EXPECT_EQ(blocks.held(), 11 * page);
}

TEST(LargeBlocks, KeepNoMoreThanTheyMay) {
  LargeBlocks blocks(4 * page);
  void *one = blocks.take(3 * page), *two = blocks.take(3 * page);
  blocks.give_back(one);
  blocks.give_back(two);
  EXPECT_EQ(blocks.held(), 4 * page);
  void* more = blocks.take(6 * page);
  ASSERT_NE(more, nullptr);
  EXPECT_EQ(blocks.held(), 0u);
  fill(more, 6 * page, 3);
  EXPECT_TRUE(holds(more, 6 * page, 3));
  blocks.give_back(more);
}

TEST(LargeBlocks, AreRefusedWithoutAddresses) {
  LargeBlocks blocks(4 * page);
  EXPECT_EQ(blocks.take(std::size_t{1} << 60), nullptr);
  void* block = blocks.take(page);
  ASSERT_NE(block, nullptr);
  blocks.give_back(block);
}

}  // namespace
}  // namespace larmor::test
