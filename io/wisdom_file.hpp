#pragma once

#include <larmor/core/data/wisdom.hpp>
#include <larmor/core/export.hpp>
#include <larmor/core/reporter.hpp>

#include <map>
#include <memory>
#include <string>

namespace LARMOR_API larmor {

/// Wisdom in a JSON file: {"format": "larmor wisdom", "version": 2, "checksum": CRC-32 of all lines after the
/// first, "entries": {key: {name: number or text}}}. A file that is not there is empty; one that is damaged,
/// of another kind or of another version is never trusted: one warning says so. Only a file that begins as
/// ours do is replaced. store() and clear() read, change and replace the file as a whole, under a lock (the
/// file's name with ".lock"), so that processes that write at once lose nothing and readers see a complete
/// file.
class WisdomFile final : public Wisdom {
 public:
  /// Makes no file yet. Warnings go to the reporter; it is borrowed.
  WisdomFile(std::string path, Reporter& reporter);

  const std::string& path() const { return path_; }
  std::optional<WisdomEntry> find(const std::string& key) override;
  /// Makes the folder where it is missing. Throws Error: usage when something else is in the file's place,
  /// resource when the file cannot be written.
  void store(const std::string& key, const WisdomEntry& entry) override;
  /// Everything in the file, as it is now.
  std::map<std::string, WisdomEntry> entries();
  /// Forgets everything; returns how many entries there were. Throws like store().
  std::size_t clear();
  /// Why the file cannot be used, as the end of a sentence; empty when it can, or is not there.
  std::string defect() const;

 private:
  template <typename Change>
  void change(const Change& change);

  std::string path_;
  Reporter& reporter_;
  bool warned_ = false;
};

/// Entries of the text of such a file. Throws std::runtime_error with the reason, as the end of a sentence,
/// for all other texts.
std::map<std::string, WisdomEntry> parse_wisdom(const std::string& text);

/// $XDG_CACHE_HOME/larmor/wisdom.json, else ~/.cache/larmor/wisdom.json; empty where neither is known.
std::string default_wisdom_path();

}  // namespace larmor
