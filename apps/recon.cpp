#include <larmor/apps/command_line.hpp>
#include <larmor/apps/commands.hpp>
#include <larmor/apps/config_file.hpp>
#include <larmor/apps/interruption.hpp>
#include <larmor/apps/machine/machine.hpp>
#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/cuda/check.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/options/errors.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace larmor;

using app::complain;

// The error message and the exit status.
std::pair<std::string, ErrorClass> what_went_wrong() {
  try {
    throw;
  } catch (const Error& error) {
    return {app::message_of(error), error.error_class()};
  } catch (const std::bad_alloc&) {
    return {"not enough memory", ErrorClass::resource};
  } catch (const std::system_error& error) {
    // Threads cannot be started.
    const bool scarce = error.code() == std::errc::resource_unavailable_try_again ||
                        error.code() == std::errc::not_enough_memory;
    if (scarce)
      return {"not enough memory or processes: the system starts no more threads", ErrorClass::resource};
    return {std::string("internal error: ") + error.what(), ErrorClass::internal};
  } catch (const std::exception& error) {
    return {std::string("internal error: ") + error.what(), ErrorClass::internal};
  } catch (...) {
    return {"internal error of unknown kind", ErrorClass::internal};
  }
}

// An exception in another thread, for example.
[[noreturn]] void last_resort() {
  std::pair<std::string, ErrorClass> wrong("internal error: terminated", ErrorClass::internal);
  if (std::current_exception()) wrong = what_went_wrong();
  complain(wrong.first, wrong.second);
  std::_Exit(static_cast<int>(wrong.second));
}

// Ends the work of all ranks, threads or processes, from one of them.
[[noreturn]] void end_ranks(Communicator& ranks, const std::atomic<bool>& stop) {
  auto wrong = what_went_wrong();
  // Messages common to all ranks are printed by the first of them; the reason for the end is printed by the
  // rank that ended first.
  if (ranks.rank() > 0 || wrong.second == rank_lost) std::this_thread::sleep_for(std::chrono::seconds(2));
  app::begin_to_end();
  if (stop) wrong = {"interrupted", ErrorClass::cancelled};
  abandon_outputs();
  complain((ranks.rank() > 0 && !stop ? "rank " + std::to_string(ranks.rank()) + ": " : "") + wrong.first,
           wrong.second);
  ranks.abort(static_cast<int>(wrong.second), wrong.first);
  std::_Exit(static_cast<int>(wrong.second));
}

int run(int argc, char** argv, const std::atomic<bool>& stop) {
  const app::Session session{.command = {argv, argv + argc},
                             .configuration = app::configuration_file({argv, argv + argc}),
                             .cancel = &stop,
                             .complain =
                                 [] {
                                   const auto wrong = what_went_wrong();
                                   complain(wrong.first, wrong.second);
                                   return wrong.second;
                                 },
                             .end_ranks = [&](Communicator& ranks) { end_ranks(ranks, stop); },
                             .begin_to_end = app::begin_to_end};
  std::vector<app::Command> commands = app::all_commands();
  if (const app::Command* command = app::read_command_line(commands, argc, argv)) command->action(session);
  return EXIT_SUCCESS;
}

int guarded(int argc, char** argv) {
  const std::atomic<bool>& stop = app::stop_on_signals();
  try {
    const int status = run(argc, argv, stop);
    app::begin_to_end();
    return status;
  } catch (...) {
    std::pair wrong = what_went_wrong();
    app::begin_to_end();
    // A signal may have stopped other processes as well: the reader of a pipe, a helper process.
    if (stop) wrong = {"interrupted", ErrorClass::cancelled};
    complain(wrong.first, wrong.second);
    return static_cast<int>(wrong.second);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(last_resort);
  const int status = guarded(argc, argv);
  // After a failure the exit handlers of libraries are skipped: HDF5's would try again to write what did not
  // fit on a full disk, and crash.
  if (status != EXIT_SUCCESS) std::_Exit(status);
  // Exits without waiting for the CUDA driver: it may still be starting, and takes long to release memory
  // that the system frees anyway.
  if constexpr (cuda::built) {
    std::fflush(nullptr);
    std::_Exit(status);
  }
  return status;
}
