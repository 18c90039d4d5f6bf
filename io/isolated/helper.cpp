#include <larmor/core/beside_library.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/isolated/helper.hpp>
#include <larmor/io/isolated/sandbox.hpp>
#include <larmor/io/isolated/socket.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace larmor::isolated {
namespace {

// A duplicate with a descriptor number that the helper does not use.
Descriptor out_of_the_way(int number) {
  return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, 10));
}

// The environment is empty except for what finding libraries and reports of sanitizers need.
std::vector<std::string> environment() {
  std::vector<std::string> kept{"LC_ALL=C"};
  for (const char* name : {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"})
    if (const char* value = std::getenv(name)) kept.push_back(std::string(name) + "=" + value);
  return kept;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

pid_t spawn(std::vector<std::string> words, const Descriptor& file, const Descriptor& socket) {
  std::vector<std::string> variables = environment();
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (standard != STDERR_FILENO || !sanitized())
      ::posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&actions, file.number(), helper_file);
  ::posix_spawn_file_actions_adddup2(&actions, socket.number(), helper_socket);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, helper_socket + 1);
  // The terminal's signals are for this process, which ends the other one.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t process = -1;
  const int error = ::posix_spawn(&process, words[0].c_str(), &actions, &attributes, pointers(words).data(),
                                  pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) throw resource_error("cannot start {}: {}", words[0], std::strerror(error));
  return process;
}

}  // namespace

std::string find_helper(const std::string& name, const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path found = given.empty() ? fs::path(find_beside_library(name)) : fs::canonical(given, error);
  if (found.empty() || !fs::is_regular_file(found, error))
    throw resource_error(
        "the program {}, which reads and writes HDF5 files in a separate process, was not found: expected "
        "{}; reinstall Larmor",
        name,
        given.empty() ? "libexec/larmor in a folder above this program, or " +
                            (fs::path(LARMOR_LIBEXEC) / name).string()
                      : given);
  require_trusted(found.string());
  return found.string();
}

HelperProcess start_helper(const std::string& program, std::vector<std::string> words, int file) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw resource_error("no socket: {}", std::strerror(errno));
  HelperProcess started{-1, Descriptor(ends[0])};
  const Descriptor other(ends[1]);
  const Descriptor near_file = out_of_the_way(file), far_end = out_of_the_way(other.number());
  if (!near_file.valid() || !far_end.valid())
    throw resource_error("no file descriptors: {}", std::strerror(errno));
  words.insert(words.begin(), program);
  started.process = spawn(std::move(words), near_file, far_end);
  return started;
}

void end_helper(pid_t process) {
  ::kill(process, SIGKILL);
  while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace larmor::isolated
