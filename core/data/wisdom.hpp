#pragma once

#include <larmor/core/export.hpp>

#include <map>
#include <optional>
#include <string>

namespace LARMOR_API larmor {

/// Tuning result for one problem on one device.
struct WisdomEntry {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;
  friend bool operator==(const WisdomEntry&, const WisdomEntry&) = default;
};

/// Stores tuning results. Keys identify device and problem.
class Wisdom {
 public:
  virtual ~Wisdom() = default;
  /// The result stored under a key, if any.
  virtual std::optional<WisdomEntry> find(const std::string& key) = 0;
  /// Stores a result, replacing one with the same key.
  virtual void store(const std::string& key, const WisdomEntry& entry) = 0;
};

}  // namespace larmor
