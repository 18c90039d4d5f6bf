#include <larmor/apps/commands/serve.hpp>
#include <larmor/apps/machine/machine.hpp>
#include <larmor/apps/serve/server.hpp>
#include <larmor/apps/serve/stream_options.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/options/words/values.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace larmor::app {
namespace {

struct ServeOptions {
  StreamCommandOptions stream;
  ServerOptions server;
};

/// The program of a session: `recon stream` with the same options and a share of the memory.
std::vector<std::string> session_words(const ServeOptions& options) {
  const StreamOptions& stream = options.stream.session;
  const MachineOptions& machine = options.stream.machine;
  const std::size_t memory = machine.memory_limit > 0 ? machine.memory_limit : available_memory_bytes();
  std::vector<std::string> words{
      "recon",      "stream",
      "--device",   machine.device,
      "--memory",   std::to_string(memory / static_cast<std::size_t>(options.server.sessions)),
      "--time-out", fmt::format("{}", stream.seconds)};
  const auto add = [&words](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  add("--recipes", stream.recipes);
  add("--record", stream.record);
  add("--threads", machine.threads > 0 ? std::to_string(machine.threads) : "");
  if (machine.deterministic) words.emplace_back("--deterministic");
  return words;
}

void serve(ServeOptions& options, const Session& invocation) {
  check_folders(options.stream.session);
  const SessionLog log("");
  const std::string& bind = options.server.bind;
  if (!bind.starts_with("127.") && bind != "::1")
    log.event("warning",
              {{"message", fmt::format("{} can be reached from other machines: the protocol has neither "
                                       "passwords nor encryption",
                                       bind)}});
  options.server.session = session_words(options);
  serve_sessions(options.server, invocation.cancel, invocation.begin_to_end, log);
}

}  // namespace

Command serve_command() {
  Command command("serve", "Reconstruct for MRI scanners: an MRD (ISMRMRD) stream server",
                  "Example:\n"
                  "  recon serve --port 9002 --record recordings");
  const auto options = std::make_shared<ServeOptions>();
  command.count("--port", "TCP port; 0: any free port", options->server.port, 0, 65535);
  command.value(
      "--status-port", "PORT",
      "HTTP port for /healthz, /metrics (Prometheus) and a status page (default: none)",
      [options](const std::string& text) { options->server.status_port = count_in(text, 0, 65535); });
  command.text("--bind", "ADDRESS", "address to listen on (default 127.0.0.1: this machine only)",
               options->server.bind);
  command.count("--sessions",
                "number of clients served at once; others wait, and the memory is divided equally",
                options->server.sessions, 1, 1024);
  add_stream_options(command, options->stream);
  add_machine_options(command, options->stream.machine);
  command.action = [options](const Session& session) { serve(*options, session); };
  return command;
}

}  // namespace larmor::app
