#pragma once

#include <larmor/core/context.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace larmor::app {

/// What one invocation of recon knows; main owns it.
struct Session {
  std::vector<std::string> command;           ///< the words of the command line
  const std::atomic<bool>* cancel = nullptr;  ///< set by Ctrl-C
  std::function<void()> action;               ///< what the parsed command line asks for
};

/// Options that every subcommand with work to do has.
struct MachineOptions {
  std::string device = "auto";
  int threads = 0;
  std::size_t memory_limit = 0;
  bool deterministic = false;
  bool quiet = false;
  bool verbose = false;
};

/// Talks on stderr: notes and warnings as lines, progress as a bar when stderr is a terminal.
class Console final : public Reporter {
 public:
  Console(bool quiet, bool verbose);
  ~Console() override;
  void note(const std::string& message) override;
  void warning(const std::string& message) override;
  void progress(const std::string& stage, Index done, Index total, const std::string& detail) override;
  /// Shown with --verbose only.
  void detail(const std::string& message);
  /// Warnings so far, for reports.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void line(const std::string& text);
  void clear_bar();

  bool quiet_, verbose_, terminal_;
  bool bar_shown_ = false;
  std::chrono::steady_clock::time_point last_drawn_{};
  std::vector<std::string> warnings_;
};

/// A context for `options`, and the console that it reports to.
struct Machine {
  Machine(const MachineOptions& options, const Session& session);
  std::shared_ptr<Console> console;
  const std::atomic<bool>* cancel;
  Context ctx;
};

/// Seconds since construction or the last lap().
class Stopwatch {
 public:
  double lap();
  double seconds() const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The text with control characters replaced, so that a message stays one line whatever a file or an argument
/// holds.
std::string one_line(std::string text);
/// Writes to stdout; throws Error (resource) when it cannot be written.
void print_out(const std::string& text);

}  // namespace larmor::app
