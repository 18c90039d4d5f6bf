#include <larmor/apps/outputs.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/formats.hpp>

#include <filesystem>
#include <map>

namespace larmor::app {

void check_targets(const std::vector<Target>& targets, bool overwrite,
                   const std::vector<std::string>& inputs) {
  std::vector<std::string> read;
  for (const std::string& input : inputs)
    for (const std::string& file : files_of(input)) read.push_back(file);
  std::map<std::filesystem::path, std::string> written;  // file, and the output that it belongs to
  for (const Target& target : targets) {
    std::vector<std::string> files{target.path};
    switch (target.content) {
      case Content::images:
        check_output_path(target.path, overwrite, read);
        files = files_of(target.path);
        break;
      case Content::array:
        check_array_path(target.path, overwrite, read);
        files = files_of(target.path);
        break;
      case Content::scan:
        if (!target.path.ends_with(".h5") && !target.path.ends_with(".mrd"))
          throw usage_error("output {}: the extension is not one for a scan: expected .h5 or .mrd",
                            target.path);
        check_target(target.path, overwrite, read);
        break;
      case Content::text:
        check_target(target.path, overwrite, read);
        break;
    }
    for (const std::string& file : files) {
      std::error_code ignored;
      const auto [other, first] =
          written.try_emplace(std::filesystem::weakly_canonical(file, ignored), target.path);
      if (!first)
        throw usage_error("outputs {} and {} would both write {}", other->second, target.path, file);
    }
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
