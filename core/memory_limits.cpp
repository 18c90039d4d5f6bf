#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

namespace larmor {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// The number in a file; `missing` if there is none, and for the word "max".
std::size_t number_in(const std::string& file, std::size_t missing) {
  std::ifstream stream(file);
  std::size_t value = 0;
  return stream >> value ? value : missing;
}

// The number after a word in a file of lines such as "inactive_file 4096"; 0 if the word is missing.
std::size_t number_after(const std::string& file, const std::string& word) {
  std::ifstream stream(file);
  std::string key;
  std::size_t value = 0;
  while (stream >> key >> value)
    if (key == word) return value;
  return 0;
}

// A line such as "MemAvailable: 123456 kB" of a /proc file; 0 if it is missing.
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

struct GroupFiles {
  const char *limit, *use, *cache;
};
constexpr GroupFiles version1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles version2{"memory.max", "memory.current", "inactive_file"};

// Memory left by the control group at a path and those that contain it. In a container the path may be the
// host's, which does not exist there: then its own group is the outermost.
std::size_t left_in(const std::string& mount, std::string path, const GroupFiles& files) {
  std::size_t left = unlimited;
  for (;;) {
    const std::string folder = mount + path + "/";
    const std::size_t limit = number_in(folder + files.limit, unlimited);
    if (limit != unlimited) {
      const std::size_t use = number_in(folder + files.use, 0);
      const std::size_t cache = std::min(use, number_after(folder + "memory.stat", files.cache));
      left = std::min(left, limit > use - cache ? limit - (use - cache) : 0);
    }
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return left;
    path.resize(slash);
  }
}

std::size_t left_of(int resource, std::size_t pages_used) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const std::size_t used = pages_used * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

std::atomic<std::size_t> array_limit{0};

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
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::toupper(c); });
  if (!unit.empty() && unit.back() == 'B') unit.pop_back();
  if (!unit.empty() && unit.back() == 'I') unit.pop_back();
  static const std::string prefixes = "KMGT";
  const std::size_t power = unit.empty() ? 0 : prefixes.find(unit) + 1;
  const double bytes = number * std::pow(1024.0, static_cast<double>(power));
  const bool readable = error == std::errc() && (unit.empty() || (unit.size() == 1 && power > 0));
  if (!readable || !std::isfinite(bytes) || bytes < 1 || bytes > 1e18)
    throw usage_error("memory size '{}' is not valid: expected a number such as 4G or 800M", text);
  return static_cast<std::size_t>(bytes);
}

std::size_t memory_left_in_groups(const std::string& root) {
  std::size_t left = unlimited;
  std::ifstream groups(root + "/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    // number:controllers:path; version 2 has number 0 and names no controllers
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    const std::string mounts = root + "/sys/fs/cgroup";
    if (controllers.find(",memory,") != std::string::npos)
      left = std::min(left, left_in(mounts + "/memory", path, version1));
    if (controllers == ",,")
      left = std::min({left, left_in(mounts, path, version2), left_in(mounts + "/unified", path, version2)});
  }
  return left;
}

std::size_t memory_left_by_ulimit() {
  // Pages: size, resident, shared, text, 0, data and stack.
  std::ifstream file("/proc/self/statm");
  std::size_t size = 0, other = 0, data = 0;
  file >> size >> other >> other >> other >> other >> data;
  return std::min(left_of(RLIMIT_AS, size), left_of(RLIMIT_DATA, data));
}

bool addresses_are_limited() {
  const auto memory =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return left_of(RLIMIT_AS, 0) < memory + (std::size_t{64} << 30);
}

void limit_host_arrays(std::size_t bytes) {
  array_limit = bytes;
}

std::size_t host_array_limit() {
  return array_limit;
}

}  // namespace larmor
