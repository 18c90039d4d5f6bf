#pragma once

#include <larmor/apps/output/console.hpp>
#include <larmor/core/error.hpp>

#include <string>
#include <vector>

namespace larmor::app {

/// Content of a target, which determines its possible extensions, and whether an existing file is replaced:
/// the writers of checkpoints and tuning results replace only files of their own.
enum class Content { images, array, maps, text, scan, checkpoint, wisdom };
struct Target {
  std::string path;
  Content content;
  bool sidecar = false;   ///< images: with their description, if the format has one
  bool replaced = false;  ///< replaces an existing file, as with overwrite
};

/// Checks before any work: throws Error if a target's extension does not fit its content, if it exists
/// (without overwrite), is an input, is named twice under any name, or if no file can be created in its
/// folder, which is tried. With a console, a missing folder of a file other than an image (texts,
/// checkpoints, tuning results) is only a warning.
void check_targets(const std::vector<Target>& targets, bool overwrite, const std::vector<std::string>& inputs,
                   Console* console = nullptr);

/// "image-snr.nii.gz" for "image.nii.gz" and "-snr".
std::string with_suffix(const std::string& path, const std::string& suffix);

void write_text(const std::string& path, const std::string& text, bool overwrite);

}  // namespace larmor::app
