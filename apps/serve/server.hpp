#pragma once

#include <larmor/apps/serve/session_log.hpp>
#include <larmor/core/shape.hpp>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace larmor::app {

/// The address of a server and the program of its sessions.
struct ServerOptions {
  std::string bind = "127.0.0.1";      ///< numeric IPv4 or IPv6 address
  Index port = 9002;                   ///< 0: any free port, which is logged
  std::optional<Index> status_port{};  ///< of the same address: HTTP port for /, /healthz and /metrics
  Index sessions = 4;                  ///< at a time; further clients wait until a session ends
  /// The program of a session and its words; it gets the connection as stdin and stdout, and "--session NAME"
  /// at the end.
  std::vector<std::string> session;
};

/// Accepts connections until `cancel` is set, each served by a separate process, so that a crash ends only
/// one session: its client receives a text and close. When the server ends, it calls `begin_to_end` and then
/// asks the running sessions to end. Throws Error: usage for an invalid address, resource if it cannot be
/// listened on.
void serve_sessions(const ServerOptions& options, const std::atomic<bool>* cancel,
                    const std::function<void()>& begin_to_end, const SessionLog& log);

}  // namespace larmor::app
