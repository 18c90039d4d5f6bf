#pragma once

#include <larmor/core/error.hpp>

#include <string>
#include <vector>

namespace larmor::app {

/// What a target holds, which decides the extensions it may have.
enum class Content { images, array, text, scan };
struct Target {
  std::string path;
  Content content;
};

/// Before any work: throws Error when a target's extension does not fit what it shall hold, when it exists
/// (without overwrite), is an input, is named twice, or its folder cannot be written to.
void check_targets(const std::vector<Target>& targets, bool overwrite,
                   const std::vector<std::string>& inputs);

/// "image-snr.nii.gz" for "image.nii.gz" and "-snr".
std::string with_suffix(const std::string& path, const std::string& suffix);

void write_text(const std::string& path, const std::string& text, bool overwrite);

}  // namespace larmor::app
