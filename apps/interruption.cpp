#include <larmor/apps/interruption.hpp>
#include <larmor/apps/output/console.hpp>
#include <larmor/core/communicator/launched.hpp>
#include <larmor/core/error.hpp>
#include <larmor/io/files/atomic_file.hpp>

#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>

namespace larmor::app {
namespace {

// Signal handlers can access only globals; the flag is passed on as a pointer in Session and Context.
std::atomic<bool> stop_requested{false};
sem_t requests;
std::atomic<bool> ending{false}, reader_left{false};

extern "C" void request_stop(int signal) {
  if (signal == SIGPIPE) reader_left.store(true, std::memory_order_relaxed);
  stop_requested.store(true, std::memory_order_relaxed);
  sem_post(&requests);
}

void end_when_nobody_listens() {
  while (sem_wait(&requests) != 0) {
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  begin_to_end();
  abandon_outputs();
  complain("interrupted", ErrorClass::cancelled);
  std::_Exit(static_cast<int>(ErrorClass::cancelled));
}

bool ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

const std::atomic<bool>& stop_on_signals() {
  sem_init(&requests, 0, 0);
  struct sigaction action {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  try {
    std::thread(end_when_nobody_listens).detach();
  } catch (const std::system_error&) {
    // No thread could be started: a second signal ends the process at once.
    action.sa_flags |= static_cast<int>(SA_RESETHAND);
  }
  for (const int signal : {SIGINT, SIGTERM, SIGXCPU}) sigaction(signal, &action, nullptr);
  // nohup and similar programs set these signals to be ignored.
  for (const int signal : {SIGHUP, SIGPIPE})
    if (!ignored(signal)) sigaction(signal, &action, nullptr);
  // With this signal ignored, exceeding a file size limit is an error like a full disk.
  signal(SIGXFSZ, SIG_IGN);
  return stop_requested;
}

void begin_to_end() {
  thread_local bool mine = false;
  if (mine || !ending.exchange(true)) {
    mine = true;
    return;
  }
  for (;;) pause();
}

void complain(const std::string& message, ErrorClass error_class) {
  // If a launcher's ranks are stopped, one message is enough. After a closed pipe no line is printed.
  if (error_class == ErrorClass::cancelled && (reader_left || !launcher_of_this_process().empty())) return;
  const std::string line = "recon: " + one_line(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace larmor::app
