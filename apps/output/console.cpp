#include <larmor/apps/output/console.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/text.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

namespace larmor::app {
namespace {

// The console whose bar may be on the terminal; standard output may be the same terminal.
std::atomic<Console*> with_bar{nullptr};

constexpr std::size_t most_lines = 50, longest_line = 8000;

}  // namespace

Console::Console(bool quiet, bool verbose, bool silent)
    : quiet_(quiet || silent),
      verbose_(verbose && !silent),
      silent_(silent),
      terminal_(isatty(STDERR_FILENO) == 1) {}

Console::~Console() {
  Console* self = this;
  with_bar.compare_exchange_strong(self, nullptr);
  if (ticker_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    ended_.notify_all();
    ticker_.join();
  }
  clear_bar();
  if (warnings_.size() > most_lines) line(fmt::format("and {} more warnings", warnings_.size() - most_lines));
}

void Console::clear_bar() {
  const std::lock_guard lock(mutex_);
  if (bar_width_ == 0) return;
  fmt::print(stderr, "\r{:{}}\r", "", bar_width_);
  std::fflush(stderr);
  bar_width_ = 0;
}

void Console::line(const std::string& text) {
  if (silent_) return;
  const std::lock_guard lock(mutex_);
  clear_bar();
  const std::string full = one_line(text) + "\n";
  std::fwrite(full.data(), 1, full.size(), stderr);
}

void Console::note(const std::string& message) {
  notes_.push_back(message);
  detail(message);
}

void Console::say(const std::string& message) {
  notes_.push_back(message);
  if (!quiet_) line(message);
}

void Console::warning(const std::string& message) {
  if (!told_.insert(message).second) return;
  warnings_.push_back(message);
  if (warnings_.size() <= most_lines) line("warning: " + message);
}

void Console::detail(const std::string& message) {
  if (verbose_) line(message);
}

void Console::expect(const std::map<std::string, double>& seconds) {
  const std::lock_guard lock(mutex_);
  expected_ = seconds;
}

void Console::progress(const std::string& stage, Index done, Index total, const std::string& detail) {
  if (quiet_) return;
  if (!terminal_) {
    if (verbose_ && total > 0) line(fmt::format("{} {}/{} {}", stage, done, total, detail));
    return;
  }
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (stage == "images" || stage == "series") {
    if (outer_.total == 0) outer_begun_ = begun_;
    outer_.step = stage;
    outer_.done = done;
    outer_.total = total;
  } else if (total == 0) {
    if (begun_ == Clock::time_point{}) begun_ = now;
    const auto expected = expected_.find(stage);
    now_ = {};
    now_.stage = stage;
    if (expected != expected_.end()) now_.expected = expected->second;
    stage_begun_ = step_begun_ = last_step_ = now;
    clear_bar();
    begin_ticking();
  } else {
    // The first step of a new count, or of the same count started again.
    if (stage != now_.step || done <= now_.done) step_begun_ = last_step_;
    now_.step = stage;
    now_.done = done;
    now_.total = total;
    now_.detail = detail;
    last_step_ = now;
    if (done < total && now - last_drawn_ < std::chrono::milliseconds(100)) return;
    draw();
  }
}

void Console::draw() {
  const Clock::time_point now = Clock::now();
  const auto since = [now](Clock::time_point begin) {
    return std::chrono::duration<double>(now - begin).count();
  };
  last_drawn_ = now;
  now_.elapsed = since(stage_begun_);
  now_.step_elapsed = since(step_begun_);
  Progress shown = now_;
  if (outer_.total > 1) {
    shown = outer_;
    shown.stage = now_.stage;
    shown.step_elapsed = since(outer_begun_);
    shown.detail = now_.step.empty() ? "" : fmt::format("({} {}/{})", now_.step, now_.done, now_.total);
  }
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
  const std::size_t width = known ? size.ws_col - 1U : 79U;
  // Overwrites the line with blanks, without an escape code.
  fmt::print(stderr, "\r{:{}}", progress_line(shown, width), width);
  std::fflush(stderr);
  bar_width_ = width;
}

void Console::begin_ticking() {
  if (ticker_.joinable()) return;
  with_bar = this;
  try {
    ticker_ = std::thread([this] { tick(); });
  } catch (const std::system_error&) {
    // No thread could be started: counted steps are still shown.
  }
}

// Shows that a long stage without counted steps is still running.
void Console::tick() {
  constexpr auto period = std::chrono::milliseconds(250);
  constexpr auto long_enough = std::chrono::seconds(1);
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, period, [this] { return ending_; }))
    if (const auto now = Clock::now(); now - stage_begun_ >= long_enough && now - last_drawn_ >= period)
      draw();
}

std::string progress_line(const Progress& progress, std::size_t width) {
  const bool counted = progress.total > 0;
  std::optional<double> left;
  if (counted && progress.done > 0)
    left = progress.step_elapsed * static_cast<double>(progress.total - progress.done) /
           static_cast<double>(progress.done);
  else if (progress.expected)
    left = *progress.expected - progress.elapsed;
  const double part = counted ? static_cast<double>(progress.done) / static_cast<double>(progress.total)
                      : progress.expected ? progress.elapsed / std::max(*progress.expected, 1e-9)
                                          : 0;
  constexpr double bar_width = 24;
  const auto filled = static_cast<std::size_t>(std::clamp(part, 0.0, counted ? 1.0 : 0.96) * bar_width);
  std::string text = fmt::format("{:<10}[{}{}]", progress.stage, std::string(filled, '#'),
                                 std::string(static_cast<std::size_t>(bar_width) - filled, '.'));
  if (counted) text += fmt::format(" {} {}/{}", progress.step, progress.done, progress.total);
  if (!progress.detail.empty()) text += " " + one_line(progress.detail);
  if (!counted) text += fmt::format(" {:.0f} s", progress.elapsed);
  if (left && *left >= 1)
    text += fmt::format(", about {:.0f} s left", *left);
  else if (!left || (!counted && *left < -1))
    text += ", time left unknown";
  return text.substr(0, width);
}

bool shows_colours(int descriptor) {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return isatty(descriptor) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > longest_line) text = text.substr(0, longest_line) + " ...";
  return escaped(text);
}

std::string short_list(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
    text += "  " + one_line(lines[i]) + "\n";
  if (lines.size() > most_lines) text += fmt::format("  and {} more\n", lines.size() - most_lines);
  return text;
}

std::unique_lock<std::recursive_mutex> Console::without_bar() {
  std::unique_lock lock(mutex_);
  clear_bar();
  return lock;
}

void print_out(const std::string& text) {
  std::unique_lock<std::recursive_mutex> hidden;
  if (Console* const console = with_bar) hidden = console->without_bar();
  errno = 0;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) throw resource_error("cannot write to standard output: {}", std::strerror(errno));
}

}  // namespace larmor::app
