#pragma once

#include <larmor/core/export.hpp>

#include <map>
#include <optional>
#include <string>

namespace LARMOR_API larmor {

/// What was found out about one problem on one device.
struct WisdomEntry {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;
  friend bool operator==(const WisdomEntry&, const WisdomEntry&) = default;
};

/// Keeps what was measured for the next time. Keys name device and problem.
class Wisdom {
 public:
  virtual ~Wisdom() = default;
  /// What is known under a key; nothing when it was never stored.
  virtual std::optional<WisdomEntry> find(const std::string& key) = 0;
  /// Keeps an entry; one of the same key is replaced.
  virtual void store(const std::string& key, const WisdomEntry& entry) = 0;
};

}  // namespace larmor
