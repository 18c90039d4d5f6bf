#pragma once

#include <larmor/core/export.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace LARMOR_API larmor {

/// How long is waited for another process, and what is looked after meanwhile, every tenth of a second.
struct Patience {
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  const std::function<void()>* meanwhile = nullptr;  ///< may throw; null: nothing

  /// So many from now.
  static Patience seconds(double seconds, const std::function<void()>* meanwhile = nullptr);
  /// Whether its end has come.
  bool over() const { return std::chrono::steady_clock::now() >= until; }
};

/// What a socket throws when the other side is not there any more, or patience is over.
struct ConnectionLost {
  bool silent = false;  ///< its machine does not answer; otherwise its process has ended
};

/// One end of a TCP connection, or a place where others connect.
class Socket {
 public:
  Socket() = default;
  /// Owns the descriptor, and closes it.
  explicit Socket(int descriptor);
  /// The other one is closed afterwards, or has what this one had.
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  /// Where others connect, at every address of this machine. port 0: one that is free. Throws Error
  /// (resource) when the port is taken.
  static Socket listening(int port);
  /// Nothing where nobody listens there, or the name is not known yet.
  static std::optional<Socket> connected(const std::string& host, int port, const Patience& patience);
  /// The next that has connected; nothing for now.
  std::optional<Socket> accepted() const;

  /// Whether there is one, and the system's number for it.
  bool open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// The port of this end, and the address of the other.
  int port() const;
  std::string other_address() const;

  /// All bytes, or ConnectionLost.
  void send(const void* bytes, std::size_t size, const Patience& patience) const;
  void receive(void* bytes, std::size_t size, const Patience& patience) const;
  /// What has come already, at most `size` bytes; it stays. 0: nothing; −1: the other side has closed.
  long peek(void* bytes, std::size_t size) const;
  /// Whether the connection has ended because the other machine does not answer. To be asked once.
  bool is_silent() const;
  /// Both ends learn that nothing follows; another thread may be waiting here.
  void shut() const noexcept;

 private:
  void wait(short events, const Patience& patience) const;

  int descriptor_ = -1;
};

}  // namespace larmor
