#include <larmor/apps/commands.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>

#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

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

/// The innermost subcommand on the command line, for messages and help.
const CLI::App& called(const CLI::App& recon) {
  const auto parsed = recon.get_subcommands();
  return parsed.empty() ? recon : *parsed.front();
}

/// A first word that is no subcommand gets an answer that names it.
void require_known_subcommand(const CLI::App& recon, const std::vector<std::string>& words) {
  if (words.size() < 2 || words[1].starts_with("-")) return;
  std::string names;
  for (const CLI::App* command : recon.get_subcommands({})) {
    if (command->get_name() == words[1]) return;
    if (!command->get_group().empty()) names += (names.empty() ? "" : ", ") + command->get_name();
  }
  throw usage_error("'{}' is not a subcommand: expected one of {} (see recon --help)", words[1], names);
}

int run(int argc, char** argv) {
  app::Session session;
  session.command.assign(argv, argv + argc);
  session.cancel = &cancel_requested;

  CLI::App recon(
      "Iterative reconstruction of non-Cartesian MRI.\n"
      "Example: recon run scan.h5 -o image.nii.gz",
      "recon");
  recon.set_version_flag("--version", std::string("recon ") + version());
  recon.require_subcommand(1);
  recon.get_formatter()->column_width(36);
  app::add_run(recon, session);
  app::add_info(recon, session);
  app::add_simulate(recon, session);
  app::add_maps(recon, session);
  app::add_density(recon, session);
  app::add_psf(recon, session);
  app::add_tune(recon, session);
  app::add_compare(recon, session);
  app::add_bench(recon, session);
  app::add_later_commands(recon);
  app::add_completion(recon, session);

  require_known_subcommand(recon, session.command);
  try {
    recon.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    app::print_out(&called(recon) == &recon ? recon.help() : called(recon).help("recon"));
    return EXIT_SUCCESS;
  } catch (const CLI::CallForVersion& text) {
    app::print_out(std::string(text.what()) + "\n");
    return EXIT_SUCCESS;
  } catch (const CLI::ParseError& error) {
    const std::string name = &called(recon) == &recon ? "recon" : "recon " + called(recon).get_name();
    throw usage_error("{} (see {} --help)", error.what(), name);
  }
  session.action();
  return EXIT_SUCCESS;
}

int guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    complain(error.error_class() == ErrorClass::internal ? std::string("internal error: ") + error.what()
                                                         : error.what());
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
