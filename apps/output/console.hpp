#pragma once

#include <larmor/core/reporter.hpp>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace larmor::app {

/// What is being done, as a bar shows it.
struct Progress {
  std::string stage;               ///< as the report's seconds call it: "calibrate"
  double elapsed = 0;              ///< seconds since it began
  std::optional<double> expected;  ///< seconds, when that was predicted
  std::string step;                ///< what is counted in it: "cg"; empty: nothing
  Index done = 0, total = 0;
  double step_elapsed = 0;  ///< seconds since the first step began
  std::string detail;
};
/// "iterate [######......] cg 5/20 gradient 1.0e-03, about 12 s left" in at most `width` columns. What is
/// left follows from the steps that are done, otherwise from what was expected.
std::string progress_line(const Progress& progress, std::size_t width);

/// Talks on stderr: results and warnings as lines, decisions with --verbose, progress as a bar when stderr is
/// a terminal, where stages without steps show how long they have taken. A warning is said once; of many the
/// first are shown, and how many there are beside.
class Console final : public Reporter {
 public:
  /// silent: says nothing at all, and remembers warnings.
  Console(bool quiet, bool verbose, bool silent = false);
  ~Console() override;
  /// Shown with --verbose only, and kept for reports.
  void note(const std::string& message) override;
  void warning(const std::string& message) override;
  void progress(const std::string& stage, Index done, Index total, const std::string& detail) override;
  /// About how many seconds stages will take, for the time that is left.
  void expect(const std::map<std::string, double>& seconds);
  /// Takes the bar away until the lock is given up.
  std::unique_lock<std::recursive_mutex> without_bar();
  /// Something that the images do not depend on could not be written: a warning, which is repeated by
  /// repeat_losses().
  void lost(const std::string& message);
  /// At the end of the work, where warnings of its beginning may have scrolled out of sight; before the last
  /// files are written, because what becomes of these is seen anyway.
  void repeat_losses();
  /// A result, shown unless --quiet is given.
  void say(const std::string& message);
  /// Shown with --verbose only.
  void detail(const std::string& message);
  /// Warnings so far, for reports.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Notes so far, shown or not.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  using Clock = std::chrono::steady_clock;
  void line(const std::string& text);
  void clear_bar();
  void draw();
  void begin_ticking();
  void tick();

  bool quiet_, verbose_, silent_, terminal_;
  std::recursive_mutex mutex_;  // what is shown; the ticker draws while the work goes on
  std::condition_variable_any ended_;
  bool ending_ = false;
  std::size_t bar_width_ = 0;  // columns of the bar that is shown
  std::thread ticker_;
  Clock::time_point last_drawn_{}, begun_{}, stage_begun_{}, step_begun_{}, last_step_{};
  Progress now_, outer_;  // of one image, and of all of them
  Clock::time_point outer_begun_{};
  std::map<std::string, double> expected_;
  std::vector<std::string> notes_, warnings_, losses_;
  std::set<std::string> told_;  // the warnings, for a file may cause thousands
};

/// True if escape codes may be written there: to a terminal that is not TERM=dumb, where NO_COLOR is empty.
bool shows_colours(int descriptor);
/// The text in one line that a terminal shows as it is, whatever a file or an argument holds: see escaped().
std::string one_line(std::string text);
/// The lines, each indented and as one_line() has it; of more than 50 the first and how many there are
/// beside.
std::string short_list(const std::vector<std::string>& lines);
/// Writes to stdout; throws Error (resource) when it cannot be written.
void print_out(const std::string& text);

}  // namespace larmor::app
