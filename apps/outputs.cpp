#include <larmor/apps/outputs.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/formats.hpp>

#include <filesystem>
#include <set>

namespace larmor::app {
namespace {

void require_extension(const std::string& path, const std::vector<std::string>& extensions,
                       const char* what) {
  for (const std::string& extension : extensions) {
    if (path.size() > extension.size() && path.ends_with(extension)) return;
  }
  throw usage_error("output {}: the extension is not one for {}: expected {}", path, what,
                    fmt::join(extensions, " or "));
}

}  // namespace

void check_targets(const std::vector<Target>& targets, bool overwrite,
                   const std::vector<std::string>& inputs) {
  std::set<std::filesystem::path> seen;
  for (const Target& target : targets) {
    switch (target.content) {
      case Content::images:
        check_output_path(target.path, overwrite, inputs);
        break;
      case Content::array:
        require_extension(target.path, {".npy", ".cfl"}, "an array");
        check_output_path(target.path, overwrite, inputs);
        break;
      case Content::scan:
        require_extension(target.path, {".h5", ".mrd"}, "a scan");
        check_target(target.path, overwrite, inputs);
        break;
      case Content::text:
        check_target(target.path, overwrite, inputs);
        break;
    }
    std::error_code ignored;
    if (!seen.insert(std::filesystem::weakly_canonical(target.path, ignored)).second)
      throw usage_error("output {} is named twice", target.path);
  }
}

std::string with_suffix(const std::string& path, const std::string& suffix) {
  const std::size_t folder = path.find_last_of('/') + 1;
  std::size_t dot = path.rfind('.');
  if (path.ends_with(".nii.gz")) dot = path.size() - 7;
  return dot == std::string::npos || dot < folder ? path + suffix
                                                  : path.substr(0, dot) + suffix + path.substr(dot);
}

void write_text(const std::string& path, const std::string& text, bool overwrite) {
  AtomicWriter file(path, overwrite);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace larmor::app
