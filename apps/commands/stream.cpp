#include <larmor/apps/commands/stream.hpp>
#include <larmor/apps/machine/machine.hpp>
#include <larmor/apps/serve/session_log.hpp>
#include <larmor/apps/serve/stream_options.hpp>
#include <larmor/apps/serve/stream_session.hpp>
#include <larmor/apps/serve/timed_stream.hpp>
#include <larmor/apps/serve/zfp_samples.hpp>
#include <larmor/core/format_error.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <set>

namespace larmor::app {
namespace {

/// Each warning is sent to the client once; notes go to the log.
class StreamReporter final : public Reporter {
 public:
  StreamReporter(mrd::MessageWriter writer, const SessionLog& log) : writer_(std::move(writer)), log_(log) {}
  void note(const std::string& message) override { log_.event("note", {{"message", message}}); }
  void warning(const std::string& message) override {
    if (!said_.insert(message).second) return;
    log_.event("warning", {{"message", message}});
    writer_.warning(message);
  }

 private:
  mrd::MessageWriter writer_;
  const SessionLog& log_;
  std::set<std::string> said_;
};

void stream(const StreamCommandOptions& options, const Session& invocation) {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO})
    if (::isatty(standard) == 1)
      throw usage_error(
          "recon stream reads messages from stdin and writes images to stdout: connect both to a file, a "
          "pipe or a socket");
  check_folders(options.session);
  // A session ends with its server, even if that is killed.
  if (!options.session.session.empty()) ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const SessionLog log(options.session.session);
  const auto* cancel = invocation.cancel;
  const mrd::WriteBytes write = timed_writer(STDOUT_FILENO, options.session.seconds, cancel);
  Machine machine(options.machine, invocation);
  machine.take_device();
  Context ctx(machine.ctx.device(),
              {.threads = options.machine.threads,
               .deterministic = options.machine.deterministic,
               .memory_limit = options.machine.memory_limit,
               .reporter = std::make_shared<StreamReporter>(mrd::MessageWriter(write), log),
               .cancel = cancel});
  const Recording recording(options.session, log);
  bool well = true;
  {
    ReaderState state;
    const std::size_t memory = ctx.memory_limit();
    mrd::MessageReader reader(
        recording.of(timed_reader(STDIN_FILENO, options.session.seconds, cancel, state)), memory / 2,
        zfp_samples());
    MessagesAhead messages(std::move(reader), memory / 4, state);
    well = StreamSession(options.session, messages, mrd::MessageWriter(write), ctx, log).run();
  }
  // The client may still be sending; closing a socket with unread bytes would lose the last texts.
  constexpr double farewell_seconds = 2;
  if (!well) end_of_writing(STDOUT_FILENO, farewell_seconds, cancel);
  recording.finish(ctx.memory_limit());
  if (!well)
    throw input_error("part of the stream could not be reconstructed; the reasons were sent to the client");
}

}  // namespace

Command stream_command() {
  Command command("stream", "Reconstruct an MRD stream from stdin, and write images to stdout",
                  "Example:\n"
                  "  recon stream < scan.mrd > images.mrd");
  const auto options = std::make_shared<StreamCommandOptions>();
  add_stream_options(command, *options);
  command.text("--session", "NAME", "name of the session in the log and in recordings",
               options->session.session);
  add_machine_options(command, options->machine);
  command.action = [options](const Session& session) { stream(*options, session); };
  return command;
}

}  // namespace larmor::app
