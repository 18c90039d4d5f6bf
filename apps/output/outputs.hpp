#pragma once

#include <larmor/apps/output/console.hpp>
#include <larmor/core/error.hpp>

#include <string>
#include <vector>

namespace larmor::app {

/// What a target holds, which decides the extensions it may have, and whether an existing file is replaced:
/// the writers of checkpoints and wisdom replace files of their own, and no others.
enum class Content { images, array, maps, text, scan, checkpoint, wisdom };
struct Target {
  std::string path;
  Content content;
  bool sidecar = false;  ///< images: with their description, where the format has one
};

/// Before any work: throws Error when a target's extension does not fit what it shall hold, when it exists
/// (without overwrite), is an input, is named twice under any name, or its folder takes no
/// new file, which is tried.
/// With a console, what the images do not depend on (texts, checkpoints, wisdom) may have no such folder: it
/// is told.
void check_targets(const std::vector<Target>& targets, bool overwrite, const std::vector<std::string>& inputs,
                   Console* console = nullptr);

/// "image-snr.nii.gz" for "image.nii.gz" and "-snr".
std::string with_suffix(const std::string& path, const std::string& suffix);

void write_text(const std::string& path, const std::string& text, bool overwrite);

}  // namespace larmor::app
