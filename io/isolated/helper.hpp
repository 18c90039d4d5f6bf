#pragma once

#include <string>

// No part of the public interface.

namespace larmor::isolated {

/// The program that reads files in a process of its own, larmor-read: `given` when it is not empty, or beside
/// this library: in libexec/larmor of the folders above the program or shared library that this is part of,
/// or where the library was installed. Never found by PATH or the current folder. Throws Error (resource)
/// when it is not there, when it or its folder may be written by a group or by everybody, and when it belongs
/// to somebody who is neither the administrator, nor this user, nor the owner of this library: such a program
/// is not started.
std::string find_helper(const std::string& given);

}  // namespace larmor::isolated
