#include <larmor/apps/output/console.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace larmor::app {
namespace {

constexpr std::size_t most_lines = 50, longest_line = 8000;

}  // namespace

Console::Console(bool quiet, bool verbose, bool silent)
    : quiet_(quiet || silent),
      verbose_(verbose && !silent),
      silent_(silent),
      terminal_(isatty(STDERR_FILENO) == 1) {}

Console::~Console() {
  clear_bar();
  if (warnings_.size() > most_lines) line(fmt::format("and {} more warnings", warnings_.size() - most_lines));
}

void Console::clear_bar() {
  if (!bar_shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  bar_shown_ = false;
}

void Console::line(const std::string& text) {
  if (silent_) return;
  clear_bar();
  const std::string full = one_line(text) + "\n";
  std::fwrite(full.data(), 1, full.size(), stderr);
}

void Console::note(const std::string& message) {
  notes_.push_back(message);
  if (!quiet_) line(message);
}

void Console::warning(const std::string& message) {
  if (std::find(warnings_.begin(), warnings_.end(), message) != warnings_.end()) return;
  warnings_.push_back(message);
  if (warnings_.size() <= most_lines) line("warning: " + message);
}

void Console::lost(const std::string& message) {
  if (std::find(losses_.begin(), losses_.end(), message) != losses_.end()) return;
  losses_.push_back(message);
  warning(message);
}

void Console::repeat_losses() {
  for (const std::string& message : losses_) line("warning: " + message);
}

void Console::detail(const std::string& message) {
  if (verbose_) line(message);
}

void Console::progress(const std::string& stage, Index done, Index total, const std::string& detail) {
  if (quiet_) return;
  if (verbose_ && !terminal_) {
    line(fmt::format("{} {}/{} {}", stage, done, total, detail));
    return;
  }
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (done < total && now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;
  constexpr Index width = 24;
  const Index filled = total > 0 ? std::clamp<Index>(done * width / total, 0, width) : 0;
  const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(width - filled), '.');
  fmt::print(stderr, "\r\033[K{:<12} [{}] {}/{} {}", stage, bar, done, total, one_line(detail));
  std::fflush(stderr);
  bar_shown_ = true;
  if (done >= total) clear_bar();
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

void print_out(const std::string& text) {
  errno = 0;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) throw resource_error("cannot write to standard output: {}", std::strerror(errno));
}

}  // namespace larmor::app
