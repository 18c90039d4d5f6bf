#pragma once

#include <larmor/io/files/descriptor.hpp>

#include <sys/types.h>

#include <string>
#include <vector>

// Not part of the public interface.

namespace larmor::isolated {

/// A program that runs as a separate process, "larmor-read" or "larmor-write": `given` if it is not empty, or
/// next to this library: in libexec/larmor of the folders above the program or shared library that contains
/// this function, or where the library was installed. It is never looked up in PATH or the current folder.
/// Throws Error (resource) if it does not exist, if it or its folder can be written by a group or by
/// everybody, and if its owner is neither the administrator, nor this user, nor the owner of this library:
/// such a program is not started.
std::string find_helper(const std::string& name, const std::string& given);

struct HelperProcess {
  pid_t process = -1;
  Descriptor socket;  ///< this end
};

/// Starts it with posix_spawn, independent of threads and devices of this process. It has only `file` and a
/// stream socket open (see socket.hpp), an empty environment, and a process group of its own: the terminal's
/// signals are for this process. Throws Error (resource).
HelperProcess start_helper(const std::string& program, std::vector<std::string> words, int file);
/// Ends it at any time.
void end_helper(pid_t process);

}  // namespace larmor::isolated
