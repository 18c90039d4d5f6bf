#include <larmor/core/memory_limits.hpp>
#include <larmor/core/planner.hpp>

#include <larmor/core/format_error.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <numeric>

namespace larmor {
namespace {

// A line such as "MemAvailable:  123456 kB" of a /proc file; 0 when it is not there.
std::size_t proc_kilobytes(const char* file, const std::string& key) {
  std::ifstream stream(file);
  std::string word;
  while (stream >> word) {
    if (word == key + ":") {
      std::size_t kilobytes = 0;
      stream >> kilobytes;
      return kilobytes * 1024;
    }
    stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

}  // namespace

std::size_t available_memory_bytes() {
  std::size_t available = proc_kilobytes("/proc/meminfo", "MemAvailable");
  if (available == 0) available = std::size_t{4} << 30;
  return std::min({available, memory_left_in_groups(), memory_left_by_ulimit()});
}

std::size_t resident_bytes() {
  return proc_kilobytes("/proc/self/status", "VmRSS");
}
std::size_t peak_resident_bytes() {
  return proc_kilobytes("/proc/self/status", "VmHWM");
}

std::string format_bytes(std::size_t bytes) {
  if (bytes >= 1000000000) return fmt::format("{:.2f} GB", static_cast<double>(bytes) * 1e-9);
  if (bytes >= 1000000) return fmt::format("{:.0f} MB", static_cast<double>(bytes) * 1e-6);
  if (bytes >= 1000) return fmt::format("{:.0f} kB", static_cast<double>(bytes) * 1e-3);
  return fmt::format("{} B", bytes);
}

std::size_t parse_bytes(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string unit(end);
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::toupper(c); });
  if (!unit.empty() && unit.back() == 'B') unit.pop_back();
  if (!unit.empty() && unit.back() == 'I') unit.pop_back();
  static const std::string prefixes = "KMGT";
  const std::size_t power = unit.empty() ? 0 : prefixes.find(unit) + 1;
  const double bytes = number * std::pow(1024.0, static_cast<double>(power));
  const bool readable = end != text.c_str() && (unit.empty() || (unit.size() == 1 && power > 0));
  if (!readable || !std::isfinite(bytes) || bytes < 1 || bytes > 1e18)
    throw usage_error("memory size '{}' is not understood: expected a number such as 4G or 800M", text);
  return static_cast<std::size_t>(bytes);
}

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
      .about("matrix,virtual_coils,memory_limit");
}

}  // namespace larmor
