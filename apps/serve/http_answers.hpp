#pragma once

#include <larmor/io/files/descriptor.hpp>

#include <poll.h>

#include <chrono>
#include <functional>
#include <list>
#include <string>
#include <vector>

namespace larmor::app {

struct HttpAnswer {
  std::string type, body;  ///< empty type: the page does not exist
};

/// Answers GET requests, one per connection, without waiting for a client: meant for a few small pages that
/// are generated at once. If too many connections are open, the oldest one is closed.
class HttpAnswers {
 public:
  /// listener: must not block.
  HttpAnswers(Descriptor listener, std::function<HttpAnswer(const std::string& path)> answer)
      : listener_(std::move(listener)), answer_(std::move(answer)) {}

  int listener() const { return listener_.number(); }
  /// Adds the descriptors to wait for.
  void add_to(std::vector<pollfd>& polled) const;
  /// Continues all connections that are ready.
  void work();

 private:
  struct Connection {
    Descriptor socket;
    std::chrono::steady_clock::time_point deadline;
    std::string request, response;
  };
  bool go_on(Connection& connection) const;  // false: the connection is finished

  Descriptor listener_;
  std::function<HttpAnswer(const std::string& path)> answer_;
  std::list<Connection> connections_;
};

}  // namespace larmor::app
