#include <larmor/apps/command_line.hpp>
#include <larmor/apps/commands.hpp>
#include <larmor/apps/interruption.hpp>
#include <larmor/apps/machine/machine.hpp>
#include <larmor/core/communicator/rank_segment.hpp>
#include <larmor/core/cuda/check.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/options/errors.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace larmor;

using app::complain;

// What went wrong, in words, and the exit status.
std::pair<std::string, ErrorClass> what_went_wrong() {
  try {
    throw;
  } catch (const Error& error) {
    return {app::message_of(error), error.error_class()};
  } catch (const std::bad_alloc&) {
    return {"not enough memory", ErrorClass::resource};
  } catch (const std::system_error& error) {
    // Threads that cannot be started.
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

// An exception in a thread of its own, for one.
[[noreturn]] void last_resort() {
  std::pair<std::string, ErrorClass> wrong("internal error: terminated", ErrorClass::internal);
  if (std::current_exception()) wrong = what_went_wrong();
  complain(wrong.first, wrong.second);
  std::_Exit(static_cast<int>(wrong.second));
}

// By a process that a launcher has started.
bool is_guarded = false;

// Of a launcher; kept until the process knows how it ends.
app::JoinedRanks joined_ranks;

// Such ranks have no process that speaks for them all. The exit status.
int end_joined_ranks(const std::pair<std::string, ErrorClass>& wrong) {
  const std::shared_ptr<Communicator> ranks = joined_ranks.get();
  const int rank = ranks->rank();
  if (const int status = ranks->status_of_others()) return status;
  // What all ranks have to say is said by the first of them, and that one has gone by who looks after it. A
  // signal to one of them is said by none, and who looks after that one waits no longer than two seconds.
  const bool interrupted = wrong.second == ErrorClass::cancelled;
  if (!interrupted && (rank > 0 || wrong.second == rank_lost))
    std::this_thread::sleep_for(std::chrono::seconds(2));
  if (const int status = ranks->status_of_others()) return status;
  complain((rank > 0 ? "rank " + std::to_string(rank) + ": " : "") + wrong.first, wrong.second);
  ranks->abort(static_cast<int>(wrong.second), wrong.first);
  return static_cast<int>(wrong.second);
}

// On another thread than the one that computes.
void end_with_others(int status, const std::string& words) {
  app::begin_to_end();
  abandon_outputs();
  if (!words.empty()) complain(words, rank_lost);
  if (is_guarded) wake_guard();
  std::_Exit(status);
}

// By a rank of a launcher, to the others.
void tell_of_interruption() {
  const auto ranks = joined_ranks.get();
  // MPI's launcher sees it by itself, and may be gone already, which MPI_Abort would wait for.
  if (ranks && ranks->name() != "MPI") ranks->abort(static_cast<int>(ErrorClass::cancelled), "interrupted");
}

// A launcher's rank that this process only looks after.
void guard(const std::vector<std::string>& words, const std::atomic<bool>& stop) {
  app::begin_to_end();
  if (const int status = guard_rank(name_by_launcher(), words, stop)) std::_Exit(status);
}

// Who guards this rank cannot say that it is stopped or killed itself.
void complain_of_guard(const std::string& how) {
  app::begin_to_end();
  abandon_outputs();
  complain(name_by_launcher() + ": " + how, rank_lost);
  if (const auto ranks = joined_ranks.get()) ranks->abort(static_cast<int>(rank_lost), "");
  std::_Exit(static_cast<int>(rank_lost));
}

int run(int argc, char** argv, const std::atomic<bool>& stop) {
  app::Session session{.command = {argv, argv + argc},
                       .cancel = &stop,
                       .rank = identity_of_rank(),
                       .joined = &joined_ranks,
                       .lost = end_with_others,
                       .complain =
                           [] {
                             const auto wrong = what_went_wrong();
                             complain(wrong.first, wrong.second);
                             return wrong.second;
                           },
                       .lead =
                           [&](int ranks) {
                             app::begin_to_end();
                             lead_ranks(ranks, {argv, argv + argc}, stop);
                           },
                       .guard =
                           [&] {
                             guard({argv, argv + argc}, stop);
                           }};
  if (session.rank && !launcher_of_this_process().empty()) {
    session.guarded = is_guarded = true;
    session.rank.reset();
    watch_guard(complain_of_guard);
  }
  if (session.rank) app::complain_as(*session.rank);
  std::vector<app::Command> commands = app::all_commands();
  if (const app::Command* command = app::read_command_line(commands, argc, argv)) command->action(session);
  return EXIT_SUCCESS;
}

int guarded(int argc, char** argv) {
  const std::atomic<bool>& stop = app::stop_on_signals(tell_of_interruption);
  try {
    const int status = run(argc, argv, stop);
    if (const auto ranks = joined_ranks.get()) ranks->finish();
    joined_ranks.set(nullptr);
    app::begin_to_end();
    return status;
  } catch (...) {
    std::pair wrong = what_went_wrong();
    app::begin_to_end();
    // After a signal, others may have been stopped by it as well: a pipe's reader, a process that helps.
    if (stop) wrong = {"interrupted", ErrorClass::cancelled};
    if (joined_ranks.get()) return end_joined_ranks(wrong);
    complain(wrong.first, wrong.second);
    return static_cast<int>(wrong.second);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(last_resort);
  const int status = guarded(argc, argv);
  if (is_guarded) wake_guard();
  // After a failure the exit handlers of libraries are left out: HDF5's would try again to write what it
  // could not write to a full disk, and crash.
  if (status != EXIT_SUCCESS) std::_Exit(status);
  // A CUDA driver takes long to clear away what ends with the process, and may still be starting.
  if constexpr (cuda::built) {
    std::fflush(nullptr);
    std::_Exit(status);
  }
  return status;
}
