#pragma once

#include <string>

// Parts of an installation that are found while the program runs; no part of the public interface.

namespace larmor {

/// Path of a file in libexec/larmor, beside the program or shared library that holds this function, as built
/// or as installed; empty: it is not there.
std::string find_beside_library(const std::string& name);

/// Throws Error (resource) where others than the owner of that program or library may write the file or its
/// folder: nothing of the kind is started or loaded.
void require_trusted(const std::string& file);

}  // namespace larmor
