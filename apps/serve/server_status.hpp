#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <map>
#include <string>

namespace larmor::app {

/// Counters of a server's work, from the events that its sessions log.
class ServerStatus {
 public:
  void started(const std::string& session);
  void ended(const std::string& session, bool crashed);
  /// An event of a session.
  void event(const std::string& session, const nlohmann::ordered_json& event);

  /// In Prometheus' text format.
  std::string metrics() const;
  /// As a web page.
  std::string page() const;

 private:
  struct SessionStatus {
    double began = 0;  // seconds since 1970
    std::string recipe = "default";
    std::size_t readouts = 0, images = 0, errors = 0;
    double seconds = 0;  // of the last images
  };
  std::map<std::string, SessionStatus> sessions_;  // running
  std::size_t started_ = 0, crashed_ = 0, readouts_ = 0, images_ = 0, errors_ = 0, left_out_ = 0, timed_ = 0;
  double seconds_ = 0, last_seconds_ = 0;
};

}  // namespace larmor::app
