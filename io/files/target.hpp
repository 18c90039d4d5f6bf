#pragma once

#include <larmor/core/export.hpp>

#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Which existing files may be replaced.
class Replaceable {
 public:
  Replaceable(bool every) : every_(every) {}
  /// Only files that start with these bytes: those written by Larmor.
  static Replaceable beginning_with(std::string signature);

  /// Throws Error (usage) unless the path may be written: it does not exist, or is a regular file that may be
  /// replaced.
  void require(const std::string& target) const;
  bool every() const { return every_; }
  /// True if a file that appears after the check may be replaced.
  bool some() const { return every_ || !signature_.empty(); }

 private:
  bool every_ = false;
  std::string signature_;
};

/// The file that a write to `target` reaches: symbolic links are followed, also to files that do not exist
/// yet, so that they remain links. A link owned by another user in a world-writable folder is refused with an
/// Error (usage).
std::string resolved_target(const std::string& target);

/// True if both names refer to the same file.
bool same_target(const std::string& a, const std::string& b);

/// Throws Error (usage) if the target is one of the inputs under any name.
void refuse_inputs(const std::string& target, const std::vector<std::string>& inputs);

/// Throws Error unless an output could be written to `target` now: usage if a file exists that may not be
/// replaced, if it is not a regular file, or if it is one of the `inputs` under any name (never overwritten);
/// resource if its folder is missing or not writable. Removes leftovers of killed processes from the folder.
void check_target(const std::string& target, const Replaceable& replaceable,
                  const std::vector<std::string>& inputs = {});

}  // namespace larmor
