#pragma once

#include <larmor/core/reporter.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace larmor::app {

/// Talks on stderr: notes and warnings as lines, progress as a bar when stderr is a terminal. A
/// warning is said once; of many the first are shown, and how many there are beside.
class Console final : public Reporter {
 public:
  /// silent: says nothing at all, and remembers warnings.
  Console(bool quiet, bool verbose, bool silent = false);
  ~Console() override;
  void note(const std::string& message) override;
  void warning(const std::string& message) override;
  void progress(const std::string& stage, Index done, Index total, const std::string& detail) override;
  /// Something that the images do not depend on could not be written: a warning, which is repeated by
  /// repeat_losses().
  void lost(const std::string& message);
  /// At the end of the work, where warnings of its beginning may have scrolled out of sight.
  void repeat_losses();
  /// Shown with --verbose only.
  void detail(const std::string& message);
  /// Warnings so far, for reports.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Notes so far, shown or not.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void line(const std::string& text);
  void clear_bar();

  bool quiet_, verbose_, silent_, terminal_;
  bool bar_shown_ = false;
  std::chrono::steady_clock::time_point last_drawn_{};
  std::vector<std::string> notes_, warnings_, losses_;
};

/// The text in one line that a terminal shows as it is, whatever a file or an argument holds: see escaped().
std::string one_line(std::string text);
/// The lines, each indented and as one_line() has it; of more than 50 the first and how many there are
/// beside.
std::string short_list(const std::vector<std::string>& lines);
/// Writes to stdout; throws Error (resource) when it cannot be written.
void print_out(const std::string& text);

}  // namespace larmor::app
