#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace larmor::app {

/// One line of JSON on stderr for each event, with time and session.
class SessionLog {
 public:
  /// session: empty for the server itself.
  explicit SessionLog(std::string session) : session_(std::move(session)) {}
  /// `facts` is an object, or null.
  void event(const std::string& name, const nlohmann::ordered_json& facts) const;
  void event(const std::string& name) const;

 private:
  std::string session_;
};

}  // namespace larmor::app
