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
  std::string type, body;  ///< empty type: there is no such page
};

/// Answers GET requests, each connection one, without ever waiting for a client: for a handful of small pages
/// that are made at once.
class HttpAnswers {
 public:
  /// listener: does not block.
  HttpAnswers(Descriptor listener, std::function<HttpAnswer(const std::string& path)> answer)
      : listener_(std::move(listener)), answer_(std::move(answer)) {}

  int listener() const { return listener_.number(); }
  /// Adds the descriptors to wait for.
  void add_to(std::vector<pollfd>& polled) const;
  /// Goes on with whatever can go on.
  void work();

 private:
  struct Connection {
    Descriptor socket;
    std::chrono::steady_clock::time_point deadline;
    std::string request, response;
  };
  bool has_room() const;
  bool go_on(Connection& connection) const;  // false: it is over

  Descriptor listener_;
  std::function<HttpAnswer(const std::string& path)> answer_;
  std::list<Connection> connections_;
};

}  // namespace larmor::app
