#pragma once

#include <larmor/core/data/wisdom.hpp>
#include <larmor/core/export.hpp>
#include <larmor/core/reporter.hpp>

#include <map>
#include <memory>
#include <string>

namespace LARMOR_API larmor {

/// Tuning results in a JSON file: {"format": "larmor wisdom", "version": 2, "checksum": CRC-32 of all lines
/// after the first, "entries": {key: {name: number or text}}}. A missing file counts as empty; one that is
/// damaged, or of another kind or version, is never trusted and gives one warning. Only a file that starts
/// like ours is replaced. store() and clear() read, change and replace the whole file under a lock (the
/// file's name with ".lock"), so that simultaneous writers lose nothing and readers see a complete file.
class WisdomFile final : public Wisdom {
 public:
  /// Does not create a file yet. Warnings go to the reporter; it is borrowed.
  WisdomFile(std::string path, Reporter& reporter);

  const std::string& path() const { return path_; }
  std::optional<WisdomEntry> find(const std::string& key) override;
  /// Creates the folder if it is missing. Throws Error: usage if something else is in the file's place,
  /// resource if the file cannot be written.
  void store(const std::string& key, const WisdomEntry& entry) override;
  /// Everything in the file, as it is now.
  std::map<std::string, WisdomEntry> entries();
  /// Deletes all entries; returns their number. Throws like store().
  std::size_t clear();
  /// Reason why the file cannot be used, as the end of a sentence; empty if it can, or does not exist.
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

/// $XDG_CACHE_HOME/larmor/wisdom.json, otherwise ~/.cache/larmor/wisdom.json; empty if neither is known.
std::string default_wisdom_path();

}  // namespace larmor
