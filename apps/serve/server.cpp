#include <larmor/apps/serve/http_answers.hpp>
#include <larmor/apps/serve/server.hpp>
#include <larmor/apps/serve/server_status.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/mrd_stream/message_writer.hpp>

#include <fcntl.h>
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
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace larmor::app {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses address_of(const std::string& bind, Index port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (::getaddrinfo(bind.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    throw usage_error("'{}' is not an address; expected one such as 127.0.0.1, 0.0.0.0 or ::1", bind);
  return {found, &::freeaddrinfo};
}

void set(int socket, int level, int option) {
  const int on = 1;
  ::setsockopt(socket, level, option, &on, sizeof on);
}

Descriptor listening_socket(const std::string& bind, Index port) {
  const Addresses address = address_of(bind, port);
  Descriptor listener(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.valid()) throw resource_error("cannot create a socket: {}", std::strerror(errno));
  set(listener.number(), SOL_SOCKET, SO_REUSEADDR);
  if (::bind(listener.number(), address->ai_addr, address->ai_addrlen) != 0 ||
      ::listen(listener.number(), SOMAXCONN) != 0)
    throw resource_error("cannot listen on {} port {}: {}; another server may use it", bind, port,
                         std::strerror(errno));
  return listener;
}

int port_of(const Descriptor& listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(listener.number(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

// Sends as much as the socket accepts at once: the server waits for no client.
void say_goodbye(const Descriptor& client, const std::string& text) {
  mrd::MessageWriter writer([&client](std::span<const std::byte> bytes) {
    [[maybe_unused]] const ssize_t sent =
        ::send(client.number(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  });
  writer.error(text);
  writer.close();
}

constexpr int look_ms = 50;  // between two checks for sessions that have ended

class Server {
 public:
  Server(const ServerOptions& options, const SessionLog& log)
      : options_(options), log_(log), listener_(listening_socket(options.bind, options.port)) {
    nlohmann::ordered_json facts{{"address", options.bind}, {"port", port_of(listener_)}};
    if (options.status_port) {
      Descriptor pages = listening_socket(options.bind, *options.status_port);
      facts["status_port"] = port_of(pages);
      pages_.emplace(std::move(pages), [this](const std::string& path) { return page(path); });
    }
    log_.event("listening", facts);
  }

  void run(const std::atomic<bool>* cancel) {
    while (cancel == nullptr || !cancel->load(std::memory_order_relaxed)) {
      const bool room = static_cast<Index>(running_.size()) < options_.sessions;
      std::vector<pollfd> polled{{room ? listener_.number() : -1, POLLIN, 0}};
      for (const auto& [process, session] : running_) polled.push_back({session.events.number(), POLLIN, 0});
      if (pages_) pages_->add_to(polled);
      ::poll(polled.data(), polled.size(), look_ms);
      for (auto& [process, session] : running_) pass_on(session);
      if (pages_) pages_->work();
      if ((polled[0].revents & POLLIN) != 0) accept();
      reap();
    }
  }

  void end() {
    for (const auto& [process, session] : running_) ::kill(process, SIGTERM);
    while (!running_.empty()) {
      ::poll(nullptr, 0, look_ms);
      for (auto& [process, session] : running_) pass_on(session);
      reap();
    }
    log_.event("ended");
  }

 private:
  struct Running {
    std::string name;
    Descriptor client;  // kept to tell the client about a crash
    Descriptor events;  // the session's stderr
    std::string line;   // its last, incomplete line
  };

  HttpAnswer page(const std::string& path) const {
    if (path == "/healthz") return {"text/plain", "ok\n"};
    if (path == "/metrics") return {"text/plain; version=0.0.4", status_.metrics()};
    if (path == "/") return {"text/html", status_.page()};
    return {};
  }

  // Copies the stderr of a session to that of the server, line by line.
  void pass_on(Running& session) {
    char piece[4096];
    for (ssize_t got = 0; (got = ::read(session.events.number(), piece, sizeof piece)) > 0;) {
      session.line.append(piece, static_cast<std::size_t>(got));
      std::size_t begin = 0;
      for (std::size_t end = 0; (end = session.line.find('\n', begin)) != std::string::npos; begin = end + 1)
        pass_on(session, session.line.substr(begin, end - begin));
      session.line.erase(0, begin);
    }
  }

  void pass_on(const Running& session, const std::string& line) {
    const auto event = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!event.is_object()) return log_.event("output", {{"name", session.name}, {"text", line}});
    std::fwrite((line + "\n").data(), 1, line.size() + 1, stderr);
    status_.event(session.name, event);
  }

  void accept() {
    Descriptor client(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client.valid()) {
      // Out of descriptors, for example, which may be temporary.
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
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return not_started(name, client, errno);
    Descriptor events(ends[0]), written(ends[1]);
    ::fcntl(written.number(), F_SETFL, 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO})
      ::posix_spawn_file_actions_adddup2(&actions, client.number(), standard);
    ::posix_spawn_file_actions_adddup2(&actions, written.number(), STDERR_FILENO);
    pid_t process = -1;
    const int failed =
        ::posix_spawn(&process, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return not_started(name, client, failed);
    log_.event("started", {{"name", name}, {"process", process}});
    status_.started(name);
    running_.emplace(process, Running{name, std::move(client), std::move(events), ""});
  }

  void not_started(const std::string& name, const Descriptor& client, int reason) {
    log_.event("not_started", {{"name", name}, {"reason", std::strerror(reason)}});
    say_goodbye(client, fmt::format("no session can be started: {}", std::strerror(reason)));
  }

  void reap() {
    int status = 0;
    for (pid_t process = 0; (process = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto session = running_.find(process);
      if (session == running_.end()) continue;
      pass_on(session->second);
      if (!session->second.line.empty()) pass_on(session->second, session->second.line);
      status_.ended(session->second.name, WIFSIGNALED(status));
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
  ServerStatus status_;
  std::optional<HttpAnswers> pages_;
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
