#pragma once

#include <larmor/core/export.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Sums the memory that a reconstruction will need, item by item, before anything is allocated.
class MemoryPlan {
 public:
  /// An item: its name, and its size.
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
  /// Throws Error (resource) naming the missing bytes and the largest item if the total exceeds the limit.
  void require(std::size_t limit) const;

 private:
  std::vector<Item> items_;
};

}  // namespace larmor
