#include <larmor/apps/serve/http_answers.hpp>

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>

namespace larmor::app {
namespace {

constexpr std::size_t most_connections = 16, most_request_bytes = 8192;
constexpr std::chrono::seconds patience{5};  // with a client, for its complete request and the answer

// The path of a complete request "GET /path HTTP/1.1"; empty for other requests.
std::string path_of(const std::string& request) {
  const std::string line = request.substr(0, request.find("\r\n"));
  const std::size_t path = line.find(' ') + 1, version = line.find(' ', path);
  if (!line.starts_with("GET /") || version == std::string::npos || line.compare(version, 8, " HTTP/1.") != 0)
    return "";
  return line.substr(path, std::min(line.find('?', path), version) - path);
}

std::string response_of(const std::string& status, const std::string& type, const std::string& body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n{}",
      status, type, body.size(), body);
}

bool not_yet() {
  return errno == EAGAIN || errno == EINTR;
}

}  // namespace

void HttpAnswers::add_to(std::vector<pollfd>& polled) const {
  polled.push_back({listener_.number(), POLLIN, 0});
  for (const Connection& connection : connections_)
    polled.push_back(
        {connection.socket.number(), static_cast<short>(connection.response.empty() ? POLLIN : POLLOUT), 0});
}

void HttpAnswers::work() {
  const auto now = std::chrono::steady_clock::now();
  for (;;) {
    Descriptor socket(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.valid()) break;
    // Clients that say nothing keep nobody waiting.
    if (connections_.size() == most_connections) connections_.pop_front();
    connections_.push_back({std::move(socket), now + patience, {}, {}});
  }
  connections_.remove_if([&](Connection& one) { return now > one.deadline || !go_on(one); });
}

bool HttpAnswers::go_on(Connection& connection) const {
  const int socket = connection.socket.number();
  char piece[1024];
  while (connection.response.empty()) {
    const ssize_t got = ::recv(socket, piece, sizeof piece, 0);
    if (got <= 0) return got < 0 && not_yet();
    std::string& request = connection.request;
    request.append(piece, static_cast<std::size_t>(got));
    if (request.find("\r\n\r\n") == std::string::npos) {
      if (request.size() > most_request_bytes) return false;
      continue;
    }
    const std::string path = path_of(request);
    const HttpAnswer answer = path.empty() ? HttpAnswer{} : answer_(path);
    connection.response = path.empty() ? response_of("405 Method Not Allowed", "text/plain", "GET only\n")
                          : answer.type.empty()
                              ? response_of("404 Not Found", "text/plain", "there is no such page\n")
                              : response_of("200 OK", answer.type, answer.body);
  }
  const std::string& response = connection.response;
  const ssize_t sent = ::send(socket, response.data(), response.size(), MSG_NOSIGNAL);
  if (sent < 0) return not_yet();
  connection.response.erase(0, static_cast<std::size_t>(sent));
  return !connection.response.empty();
}

}  // namespace larmor::app
