#include <larmor/apps/command_line.hpp>
#include <larmor/apps/commands.hpp>
#include <larmor/apps/console.hpp>
#include <larmor/apps/errors.hpp>
#include <larmor/apps/machine.hpp>

#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

namespace {

using namespace larmor;

// Signal handlers reach nothing but globals; this is the only one, handed on as a pointer in Session and
// Context.
std::atomic<bool> cancel_requested{false};

extern "C" void request_cancel(int) {
  cancel_requested.store(true, std::memory_order_relaxed);
}

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = request_cancel;
  // The first signal asks for an orderly end, a second one ends the process at once.
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A file size limit shall end in an error message like a full disk, not in a signal.
  signal(SIGXFSZ, SIG_IGN);
}

void complain(const std::string& message) {
  const std::string line = "recon: " + app::one_line(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

[[noreturn]] void last_resort() {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
    complain("internal error: terminated");
  } catch (const std::exception& error) {
    complain(std::string("internal error: ") + error.what());
  } catch (...) {
    complain("internal error of unknown kind");
  }
  std::_Exit(static_cast<int>(ErrorClass::internal));
}

int run(int argc, char** argv) {
  const app::Session session{.command = {argv, argv + argc}, .cancel = &cancel_requested};
  std::vector<app::Command> commands = app::all_commands();
  if (const app::Command* command = app::read_command_line(commands, argc, argv)) command->action(session);
  return EXIT_SUCCESS;
}

int guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    complain(app::message_of(error));
    return error.exit_code();
  } catch (const std::bad_alloc&) {
    complain("not enough memory");
    return static_cast<int>(ErrorClass::resource);
  } catch (const std::exception& error) {
    complain(std::string("internal error: ") + error.what());
  } catch (...) {
    complain("internal error of unknown kind");
  }
  return static_cast<int>(ErrorClass::internal);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(last_resort);
  install_signal_handlers();
  const int status = guarded(argc, argv);
  // After a failure the exit handlers of libraries are left out: HDF5's would try again to write what it
  // could not write to a full disk, and crash.
  if (status != EXIT_SUCCESS) std::_Exit(status);
  return status;
}
