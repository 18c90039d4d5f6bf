#include <larmor/apps/serve/timed_stream.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace larmor::app {
namespace {

using StreamClock = std::chrono::steady_clock;

constexpr int poll_ms = 50;  // between two checks of the flag

StreamClock::time_point after(double seconds) {
  return StreamClock::now() +
         std::chrono::duration_cast<StreamClock::duration>(std::chrono::duration<double>(seconds));
}

/// Waits until the descriptor is ready; false if it is not by the deadline.
bool ready(int descriptor, short events, StreamClock::time_point deadline, const std::atomic<bool>* cancel) {
  for (;;) {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed))
      throw Error(ErrorClass::cancelled, "interrupted");
    pollfd one{descriptor, events, 0};
    if (::poll(&one, 1, poll_ms) > 0) return true;
    if (StreamClock::now() > deadline) return false;
  }
}

void do_not_block(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags >= 0) ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

}  // namespace

mrd::ReadBytes timed_reader(int descriptor, double seconds, const std::atomic<bool>* cancel,
                            const ReaderState& state) {
  do_not_block(descriptor);
  return [=, &state](std::span<std::byte> to) {
    StreamClock::time_point deadline = after(seconds);
    std::size_t got = 0;
    while (got < to.size()) {
      const ssize_t now = ::read(descriptor, to.data() + got, to.size() - got);
      if (now > 0) {
        got += static_cast<std::size_t>(now);
        continue;
      }
      if (now == 0 || errno == ECONNRESET) break;
      if (errno != EAGAIN && errno != EINTR)
        throw input_error("cannot read the stream: {}", std::strerror(errno));
      while (!ready(descriptor, POLLIN, std::min(deadline, after(1e-3 * poll_ms)), cancel)) {
        if (state.enough) return got;
        if (!state.wanted) deadline = after(seconds);
        if (StreamClock::now() <= deadline) continue;
        throw input_error("nothing arrived for {} s; {} more bytes were expected", seconds, to.size() - got);
      }
    }
    return got;
  };
}

mrd::WriteBytes timed_writer(int descriptor, double seconds, const std::atomic<bool>* cancel) {
  do_not_block(descriptor);
  return [=](std::span<const std::byte> from) {
    StreamClock::time_point deadline = after(seconds);
    while (!from.empty()) {
      const ssize_t now = ::write(descriptor, from.data(), from.size());
      if (now > 0) {
        from = from.subspan(static_cast<std::size_t>(now));
        deadline = after(seconds);
        continue;
      }
      if (now < 0 && errno != EAGAIN && errno != EINTR)
        throw resource_error("cannot write the stream: {}", std::strerror(errno));
      if (!ready(descriptor, POLLOUT, deadline, cancel))
        throw resource_error("the client does not read the images: {} have been waiting for {} s",
                             format_bytes(from.size()), seconds);
    }
  };
}

void end_of_writing(int descriptor, double seconds, const std::atomic<bool>* cancel) {
  if (::shutdown(descriptor, SHUT_WR) != 0) return;  // no socket
  std::byte away[4096];
  const StreamClock::time_point deadline = after(seconds);
  while (!cancel->load(std::memory_order_relaxed) && StreamClock::now() < deadline) {
    pollfd one{descriptor, POLLIN, 0};
    if (::poll(&one, 1, poll_ms) > 0 && ::read(descriptor, away, sizeof away) == 0) return;
  }
}

}  // namespace larmor::app
