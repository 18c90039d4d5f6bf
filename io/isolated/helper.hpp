#pragma once

#include <larmor/io/files/descriptor.hpp>

#include <sys/types.h>

#include <string>
#include <vector>

// No part of the public interface.

namespace larmor::isolated {

/// A program that works in a process of its own, "larmor-read" or "larmor-write": `given` when it is not
/// empty, or beside this library: in libexec/larmor of the folders above the program or shared library that
/// this is part of, or where the library was installed. Never found by PATH or the current folder. Throws
/// Error (resource) when it is not there, when it or its folder may be written by a group or by everybody,
/// and when it belongs to somebody who is neither the administrator, nor this user, nor the owner of this
/// library: such a program is not started.
std::string find_helper(const std::string& name, const std::string& given);

struct HelperProcess {
  pid_t process = -1;
  Descriptor socket;  ///< this end
};

/// Starts it with posix_spawn, so that threads and devices of this process do not matter. It has `file` and a
/// socket of this type open (see socket.hpp) and nothing else, nothing of the environment, and a process
/// group of its own: the terminal's signals are for this process. Throws Error (resource).
HelperProcess start_helper(const std::string& program, std::vector<std::string> words, int file,
                           int socket_type);
/// Ends it, whatever it is doing.
void end_helper(pid_t process);

}  // namespace larmor::isolated
