#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/isolated/helper.hpp>
#include <larmor/io/isolated/reader_process.hpp>
#include <larmor/io/isolated/socket.hpp>

#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

namespace larmor::isolated {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

}  // namespace

ReaderProcess::ReaderProcess(const Request& request, const std::atomic<bool>* cancel)
    : name_(request.name), cancel_(cancel), file_(open_to_read(request.name)) {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) fail(std::strerror(errno));
  limits_ = limits_for(static_cast<std::size_t>(status.st_size));
  HelperProcess started =
      start_helper(find_helper("larmor-read", request.helper),
                   {version(), to_string(request.contents), request.name, request.group}, file_.number());
  socket_ = std::move(started.socket);
  process_ = started.process;
}

ReaderProcess::~ReaderProcess() {
  if (process_ >= 0) end_helper(process_);
}

void ReaderProcess::fail(const std::string& reason) const {
  throw input_error("cannot read {}: {}", name_, reason);
}

// Describes how the process ended after the socket was closed early.
void ReaderProcess::fail_by_death() {
  int status = 0;
  rusage used{};
  pid_t ended = 0;
  for (const auto give_up = Clock::now() + 1s; ended == 0 && Clock::now() < give_up;) {
    ended = ::wait4(process_, &status, WNOHANG, &used);
    if (ended == 0) std::this_thread::sleep_for(1ms);
  }
  if (ended <= 0) fail("the process that reads it stopped answering; the file is damaged");
  process_ = -1;
  if (memory_is_scarce(limits_))
    throw resource_error(
        "cannot read {}: the memory limit (ulimit -v) is too low for the process that reads it", name_);
  const auto seconds = used.ru_utime.tv_sec + used.ru_stime.tv_sec;
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGXCPU) &&
      seconds + 1 >= static_cast<long>(limits_.processor_seconds))
    fail(fmt::format("it took more than {} s of processor time, too much for its size; the file is damaged",
                     limits_.processor_seconds));
  if (WIFSIGNALED(status))
    fail(fmt::format("the process that reads it crashed (signal {}); the file is damaged", WTERMSIG(status)));
  fail(fmt::format("the process that reads it failed (status {}); the file is damaged", WEXITSTATUS(status)));
}

bool ReaderProcess::read_file(std::uint64_t at, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = ::pread(file_.number(), to.data(), to.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(count));
    at += static_cast<std::uint64_t>(count);
  }
  return true;
}

void ReaderProcess::receive(std::span<std::byte> to) {
  const auto give_up = Clock::now() + std::chrono::seconds(limits_.silent_seconds);
  while (!to.empty()) {
    if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed))
      throw Error(ErrorClass::cancelled, "interrupted");
    pollfd waiting{socket_.number(), POLLIN, 0};
    if (::poll(&waiting, 1, 50) > 0) {
      const std::size_t count = receive_some(socket_.number(), to);
      if (count == 0) fail_by_death();
      to = to.subspan(count);
    } else if (Clock::now() > give_up) {
      fail(fmt::format("the process that reads it did not answer for {} s", limits_.silent_seconds));
    }
  }
}

Message ReaderProcess::next() {
  MessageHead head;
  receive(std::as_writable_bytes(std::span(&head, 1)));
  std::optional<Message> message;
  if (head.bytes <= limits_.message_bytes) {
    const std::size_t size = sizeof head + head.bytes;
    buffer_.resize(std::max(buffer_.size(), (size + sizeof buffer_[0] - 1) / sizeof buffer_[0]));
    const auto bytes = std::as_writable_bytes(std::span(buffer_)).first(size);
    std::memcpy(bytes.data(), &head, sizeof head);
    receive(bytes.subspan(sizeof head));
    message = parse_message(bytes);
  }
  if (!message)
    fail(
        "the process that reads it gave an invalid answer; the file is malicious, or larmor-read has another "
        "version");
  if (const auto* failed = std::get_if<Failed>(&*message))
    throw Error(failed->error_class == static_cast<std::uint64_t>(ErrorClass::resource) ? ErrorClass::resource
                                                                                        : ErrorClass::input,
                printable(failed->text, most_error_bytes))
        .about(printable(failed->parameter));
  return *message;
}

}  // namespace larmor::isolated
