#pragma once

#include <larmor/core/export.hpp>

#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Result of a writer: usually one file; stacks that one NIfTI file cannot describe are several.
struct WrittenFiles {
  std::vector<std::string> files;
  std::vector<std::string> warnings;
  bool lacks_frame_time = false;  ///< one of the warnings is that frame_seconds are unknown
};

}  // namespace larmor
