#pragma once

#include <string>

// Parts of an installation that are located at run time; not part of the public interface.

namespace larmor {

/// Path of a file in libexec/larmor, next to the program or shared library that contains this function, in a
/// build folder or installed; empty: it does not exist.
std::string find_beside_library(const std::string& name);

/// Throws Error (resource) if users other than the owner of that program or library can write to the file or
/// its folder: such files are neither started nor loaded.
void require_trusted(const std::string& file);

}  // namespace larmor
