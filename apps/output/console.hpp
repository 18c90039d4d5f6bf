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

/// The current stage, as a bar shows it.
struct Progress {
  std::string stage;               ///< name as in the report's seconds: "calibrate"
  double elapsed = 0;              ///< seconds since its start
  std::optional<double> expected;  ///< seconds, if predicted
  std::string step;                ///< name of its counted steps: "cg"; empty: none
  Index done = 0, total = 0;
  double step_elapsed = 0;  ///< seconds since the first step
  std::string detail;
};
/// "iterate [######......] cg 5/20 gradient 1.0e-03, about 12 s left" in at most `width` columns. The
/// remaining time is extrapolated from the finished steps, otherwise taken from the prediction.
std::string progress_line(const Progress& progress, std::size_t width);

/// Prints on stderr: results and warnings as lines, decisions with --verbose, progress as a bar if stderr is
/// a terminal; stages without steps show their elapsed time. Each warning is printed once; of many only the
/// first, with the number of the others.
class Console final : public Reporter {
 public:
  /// silent: prints nothing, but keeps warnings.
  Console(bool quiet, bool verbose, bool silent = false);
  ~Console() override;
  /// Printed with --verbose only, and kept for reports.
  void note(const std::string& message) override;
  void warning(const std::string& message) override;
  void progress(const std::string& stage, Index done, Index total, const std::string& detail) override;
  /// Predicted seconds of the stages, for the remaining time.
  void expect(const std::map<std::string, double>& seconds);
  /// Removes the bar until the lock is released.
  std::unique_lock<std::recursive_mutex> without_bar();
  /// A result, printed unless --quiet is given.
  void say(const std::string& message);
  /// Printed with --verbose only.
  void detail(const std::string& message);
  /// Warnings so far, for reports.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Notes so far, printed or not.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  using Clock = std::chrono::steady_clock;
  void line(const std::string& text);
  void clear_bar();
  void draw();
  void begin_ticking();
  void tick();

  bool quiet_, verbose_, silent_, terminal_;
  std::recursive_mutex mutex_;  // current state; the ticker redraws it while the work goes on
  std::condition_variable_any ended_;
  bool ending_ = false;
  std::size_t bar_width_ = 0;  // columns of the bar on screen
  std::thread ticker_;
  Clock::time_point last_drawn_{}, begun_{}, stage_begun_{}, step_begun_{}, last_step_{};
  Progress now_, outer_;  // of one image, and of all of them
  Clock::time_point outer_begun_{};
  std::map<std::string, double> expected_;
  std::vector<std::string> notes_, warnings_;
  std::set<std::string> told_;  // the warnings so far: a file may cause thousands
};

/// True if escape codes may be written: to a terminal with TERM other than dumb and NO_COLOR empty.
bool shows_colours(int descriptor);
/// The text in one line that a terminal shows unchanged, whatever a file or an argument contains: see
/// escaped().
std::string one_line(std::string text);
/// The lines, each indented and passed through one_line(); of more than 50 the first, and the number of the
/// others.
std::string short_list(const std::vector<std::string>& lines);
/// Writes to stdout; throws Error (resource) when it cannot be written.
void print_out(const std::string& text);

}  // namespace larmor::app
