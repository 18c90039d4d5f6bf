#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/shape.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Bytes of memory that the machine can still give to this process: the least of what is free, what its
/// control groups leave it, and what ulimit leaves it.
std::size_t available_memory_bytes();
/// Resident size of this process now.
std::size_t resident_bytes();
/// Largest resident size of this process so far.
std::size_t peak_resident_bytes();
/// "1.25 GB", "340 MB", "12 kB"
std::string format_bytes(std::size_t bytes);
/// "4G", "512M", "1.5GB", "800000"; throws Error (usage) for anything else.
std::size_t parse_bytes(const std::string& text);

/// Adds up what a reconstruction will need, item by item, before anything is allocated.
class MemoryPlan {
 public:
  /// What needs memory, and how much.
  struct Item {
    std::string name;
    std::size_t bytes;
  };
  /// Adds an item.
  void add(std::string name, std::size_t bytes);
  /// The sum of all items, in bytes.
  std::size_t total() const;
  /// In the order in which they were added.
  const std::vector<Item>& items() const { return items_; }
  /// Throws Error (resource) naming the missing bytes and the largest item when the total exceeds the limit.
  void require(std::size_t limit) const;

 private:
  std::vector<Item> items_;
};

}  // namespace larmor
