#include <larmor/core/communicator/network/socket.hpp>
#include <larmor/core/format_error.hpp>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace larmor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds look_every{100};

void set(int descriptor, int level, int option, int value) {
  ::setsockopt(descriptor, level, option, &value, sizeof(value));
}

// Messages leave at once. A machine that is gone is noticed while this one waits for it.
void prepare(int descriptor) {
  constexpr int idle_seconds = 3, seconds_between = 1, most_unanswered = 3;
  set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, idle_seconds);
  set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, seconds_between);
  set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, most_unanswered);
}

bool means_silence(int error) {
  return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH;
}

// Whether the other machine has been written to again and again without an answer. While bytes are on their
// way the system would go on for a quarter of an hour. A machine that only takes nothing for now answers.
bool is_unanswered(int descriptor) {
  constexpr unsigned most_milliseconds = 6000, most_attempts = 3;
  tcp_info info{};
  socklen_t length = sizeof(info);
  return ::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
         (info.tcpi_probes >= most_attempts || info.tcpi_retransmits >= most_attempts) &&
         info.tcpi_last_ack_recv > most_milliseconds;
}

[[noreturn]] void throw_lost() {
  throw ConnectionLost{means_silence(errno)};
}

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

template <typename Name>
std::pair<std::string, int> name_of(const Name& name, int descriptor) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  if (name(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(reinterpret_cast<sockaddr*>(&address), length, host.data(), host.size(), port.data(),
                    port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {};
  std::string text = host.data();
  // An address of the older kind, as a socket of both kinds shows it.
  constexpr std::string_view mapped = "::ffff:";
  if (text.starts_with(mapped)) text.erase(0, mapped.size());
  return {text, std::atoi(port.data())};
}

}  // namespace

Patience Patience::seconds(double seconds, const std::function<void()>* meanwhile) {
  return {Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)),
          meanwhile};
}

Socket::Socket(int descriptor) : descriptor_(descriptor) {}

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Socket Socket::listening(int port) {
  int error = 0;
  // Machines without the newer kind of addresses have the older alone.
  for (const int family : {AF_INET6, AF_INET}) {
    Socket socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket.open()) {
      error = errno;
      continue;
    }
    set(socket.descriptor_, SOL_SOCKET, SO_REUSEADDR, 1);
    sockaddr_in6 newer{};
    sockaddr_in older{};
    if (family == AF_INET6) set(socket.descriptor_, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    newer.sin6_family = AF_INET6;
    newer.sin6_port = htons(static_cast<std::uint16_t>(port));
    older.sin_family = AF_INET;
    older.sin_port = newer.sin6_port;
    const auto* any = family == AF_INET6 ? reinterpret_cast<const sockaddr*>(&newer)
                                         : reinterpret_cast<const sockaddr*>(&older);
    const socklen_t length = family == AF_INET6 ? sizeof(newer) : sizeof(older);
    if (::bind(socket.descriptor_, any, length) == 0 && ::listen(socket.descriptor_, SOMAXCONN) == 0)
      return socket;
    error = errno;
    if (error == EADDRINUSE) break;
  }
  throw resource_error("port {} cannot be listened at: {}", port, std::strerror(error));
}

std::optional<Socket> Socket::connected(const std::string& host, int port, const Patience& patience) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return std::nullopt;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    Socket socket(::socket(one->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket.open()) continue;
    if (::connect(socket.descriptor_, one->ai_addr, one->ai_addrlen) != 0) {
      if (errno != EINPROGRESS) continue;
      try {
        socket.wait(POLLOUT, patience);
      } catch (const ConnectionLost&) {
        continue;
      }
      int error = 0;
      socklen_t length = sizeof(error);
      if (::getsockopt(socket.descriptor_, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0)
        continue;
    }
    prepare(socket.descriptor_);
    return socket;
  }
  return std::nullopt;
}

std::optional<Socket> Socket::accepted() const {
  const int descriptor = ::accept4(descriptor_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  prepare(descriptor);
  return Socket(descriptor);
}

int Socket::port() const {
  return name_of(::getsockname, descriptor_).second;
}

std::string Socket::other_address() const {
  return name_of(::getpeername, descriptor_).first;
}

void Socket::wait(short events, const Patience& patience) const {
  for (pollfd look{descriptor_, events, 0};;) {
    const int ready = ::poll(&look, 1, static_cast<int>(look_every.count()));
    if (ready > 0) return;
    if (patience.meanwhile != nullptr && *patience.meanwhile) (*patience.meanwhile)();
    if (patience.over() || is_unanswered(descriptor_)) throw ConnectionLost{true};
  }
}

void Socket::send(const void* bytes, std::size_t size, const Patience& patience) const {
  const auto* next = static_cast<const std::byte*>(bytes);
  while (size > 0) {
    const ssize_t sent = ::send(descriptor_, next, size, MSG_NOSIGNAL);
    if (sent > 0) {
      next += sent;
      size -= static_cast<std::size_t>(sent);
    } else if (would_block()) {
      wait(POLLOUT, patience);
    } else {
      throw_lost();
    }
  }
}

void Socket::receive(void* bytes, std::size_t size, const Patience& patience) const {
  auto* next = static_cast<std::byte*>(bytes);
  while (size > 0) {
    const ssize_t got = ::recv(descriptor_, next, size, 0);
    if (got > 0) {
      next += got;
      size -= static_cast<std::size_t>(got);
    } else if (got == 0) {
      throw ConnectionLost{};
    } else if (would_block()) {
      wait(POLLIN, patience);
    } else {
      throw_lost();
    }
  }
}

long Socket::peek(void* bytes, std::size_t size) const {
  const ssize_t got = ::recv(descriptor_, bytes, size, MSG_PEEK);
  if (got > 0) return got;
  return got == 0 || !would_block() ? -1 : 0;
}

bool Socket::is_silent() const {
  int error = 0;
  socklen_t length = sizeof(error);
  return ::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && means_silence(error);
}

void Socket::shut() const noexcept {
  if (descriptor_ >= 0) ::shutdown(descriptor_, SHUT_RDWR);
}

}  // namespace larmor
