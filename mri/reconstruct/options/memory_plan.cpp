#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/mri/reconstruct/options/memory_plan.hpp>

#include <algorithm>
#include <numeric>

namespace larmor {

void MemoryPlan::add(std::string name, std::size_t bytes) {
  items_.push_back({std::move(name), bytes});
}

std::size_t MemoryPlan::total() const {
  return std::accumulate(items_.begin(), items_.end(), std::size_t{0},
                         [](std::size_t sum, const Item& item) { return sum + item.bytes; });
}

void MemoryPlan::require(std::size_t limit) const {
  if (total() <= limit) return;
  const auto largest = std::max_element(items_.begin(), items_.end(),
                                        [](const Item& a, const Item& b) { return a.bytes < b.bytes; });
  throw resource_error(
      "not enough memory: {} needed, {} allowed, {} missing (largest part: {}, {}); "
      "use a smaller matrix, fewer coils or more memory",
      format_bytes(total()), format_bytes(limit), format_bytes(total() - limit), largest->name,
      format_bytes(largest->bytes))
      .about("matrix,coils,memory");
}

}  // namespace larmor
