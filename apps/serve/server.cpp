#include <larmor/apps/serve/server.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/mrd_stream/message_writer.hpp>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <thread>
#include <utility>

namespace larmor::app {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses address_of(const ServerOptions& options) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (::getaddrinfo(options.bind.c_str(), std::to_string(options.port).c_str(), &hints, &found) != 0)
    throw usage_error("'{}' is no address; expected one such as 127.0.0.1, 0.0.0.0 or ::1", options.bind);
  return {found, &::freeaddrinfo};
}

void set(int socket, int level, int option) {
  const int on = 1;
  ::setsockopt(socket, level, option, &on, sizeof on);
}

Descriptor listening_socket(const ServerOptions& options) {
  const Addresses address = address_of(options);
  Descriptor listener(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.valid()) throw resource_error("no socket can be made: {}", std::strerror(errno));
  set(listener.number(), SOL_SOCKET, SO_REUSEADDR);
  if (::bind(listener.number(), address->ai_addr, address->ai_addrlen) != 0 ||
      ::listen(listener.number(), SOMAXCONN) != 0)
    throw resource_error("{} port {} cannot be listened on: {}; another server may have it", options.bind,
                         options.port, std::strerror(errno));
  return listener;
}

int port_of(const Descriptor& listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(listener.number(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

// As far as the socket takes it at once: the server waits for no client.
void say_goodbye(const Descriptor& client, const std::string& text) {
  mrd::MessageWriter writer([&client](std::span<const std::byte> bytes) {
    [[maybe_unused]] const ssize_t sent =
        ::send(client.number(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  });
  writer.error(text);
  writer.close();
}

class Server {
 public:
  Server(const ServerOptions& options, const SessionLog& log)
      : options_(options), log_(log), listener_(listening_socket(options)) {
    log_.event("listening", {{"address", options.bind}, {"port", port_of(listener_)}});
  }

  void run(const std::atomic<bool>* cancel) {
    constexpr int look_ms = 50;  // between two looks at sessions that have ended
    while (cancel == nullptr || !cancel->load(std::memory_order_relaxed)) {
      const bool room = static_cast<Index>(running_.size()) < options_.sessions;
      pollfd one{room ? listener_.number() : -1, POLLIN, 0};
      if (::poll(&one, 1, look_ms) > 0) accept();
      reap(WNOHANG);
    }
  }

  void end() {
    for (const auto& [process, session] : running_) ::kill(process, SIGTERM);
    while (!running_.empty()) reap(0);
    log_.event("ended");
  }

 private:
  struct Running {
    std::string name;
    Descriptor client;  // kept to tell the client of a crash
  };

  void accept() {
    Descriptor client(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client.valid()) {
      // Out of descriptors, for one: later there may be some.
      if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
        log_.event("not_accepted", {{"reason", std::strerror(errno)}});
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      return;
    }
    set(client.number(), SOL_SOCKET, SO_KEEPALIVE);
    set(client.number(), IPPROTO_TCP, TCP_NODELAY);  // the end of an image does not wait for an answer
    start(std::move(client));
  }

  void start(Descriptor client) {
    const std::string name = std::to_string(::getpid()) + "-" + std::to_string(++count_);
    std::vector<std::string> words = options_.session;
    words.insert(words.end(), {"--session", name});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO})
      ::posix_spawn_file_actions_adddup2(&actions, client.number(), standard);
    pid_t process = -1;
    const int failed =
        ::posix_spawn(&process, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
      log_.event("not_started", {{"name", name}, {"reason", std::strerror(failed)}});
      say_goodbye(client, fmt::format("no session can be started: {}", std::strerror(failed)));
      return;
    }
    log_.event("started", {{"name", name}, {"process", process}});
    running_.emplace(process, Running{name, std::move(client)});
  }

  void reap(int how) {
    int status = 0;
    for (pid_t process = 0; (process = ::waitpid(-1, &status, how)) > 0;) {
      const auto session = running_.find(process);
      if (session == running_.end()) continue;
      if (WIFSIGNALED(status)) {
        log_.event("crashed", {{"name", session->second.name}, {"signal", WTERMSIG(status)}});
        say_goodbye(session->second.client,
                    fmt::format("the session ended by signal {}; the server goes on", WTERMSIG(status)));
      } else {
        constexpr auto interrupted = static_cast<int>(ErrorClass::cancelled);
        if (WEXITSTATUS(status) == interrupted) say_goodbye(session->second.client, "the server ends");
        log_.event("ended", {{"name", session->second.name}, {"status", WEXITSTATUS(status)}});
      }
      running_.erase(session);
    }
  }

  const ServerOptions& options_;
  const SessionLog& log_;
  Descriptor listener_;
  std::map<pid_t, Running> running_;
  std::size_t count_ = 0;
};

}  // namespace

void serve_sessions(const ServerOptions& options, const std::atomic<bool>* cancel,
                    const std::function<void()>& begin_to_end, const SessionLog& log) {
  Server server(options, log);
  server.run(cancel);
  begin_to_end();
  server.end();
}

}  // namespace larmor::app
