#pragma once

#include <larmor/core/export.hpp>

#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// What a writer did: usually one file; stacks that one NIfTI file cannot describe are several.
struct WrittenFiles {
  std::vector<std::string> files;
  std::vector<std::string> warnings;
  bool lacks_frame_time = false;  ///< one of the warnings says that frame_seconds are not known
};

}  // namespace larmor
