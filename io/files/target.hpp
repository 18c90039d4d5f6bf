#pragma once

#include <larmor/core/export.hpp>

#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Which file may be replaced where one stands at a target already.
class Replaceable {
 public:
  Replaceable(bool every) : every_(every) {}
  /// Only files that begin with these bytes: those that Larmor has written itself.
  static Replaceable beginning_with(std::string signature);

  /// Throws Error (usage) unless what is at the path may be replaced: nothing is, or a regular file that is
  /// one of these.
  void require(const std::string& target) const;
  bool every() const { return every_; }
  /// Whether a file may be replaced that appears after it was looked at.
  bool some() const { return every_ || !signature_.empty(); }

 private:
  bool every_ = false;
  std::string signature_;
};

/// The file that a write to `target` reaches: symbolic links are followed, also to files that are not there
/// yet, so that they stay links. A link that somebody else left in a folder that all may write to is refused
/// with an Error (usage).
std::string resolved_target(const std::string& target);

/// Whether writes to the two names reach the same file.
bool same_target(const std::string& a, const std::string& b);

/// Throws Error (usage) when the target is one of the inputs under any name.
void refuse_inputs(const std::string& target, const std::vector<std::string>& inputs);

/// Throws Error unless an output could be written to `target` now: usage when a file is there that may not be
/// replaced, when it is not a regular file, or when it is one of the `inputs` under any name (never
/// overwritten); resource when its folder is missing or not writable. Removes from the folder what runs that
/// were killed left there.
void check_target(const std::string& target, const Replaceable& replaceable,
                  const std::vector<std::string>& inputs = {});

}  // namespace larmor
