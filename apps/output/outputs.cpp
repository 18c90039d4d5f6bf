#include <larmor/apps/output/outputs.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/maps_file.hpp>

namespace larmor::app {
namespace {

void check_one(const Target& target, bool overwrite, const std::vector<std::string>& inputs) {
  switch (target.content) {
    case Content::images:
      return check_output_path(target.path, {.overwrite = overwrite, .sidecar = target.sidecar}, inputs);
    case Content::array:
      return check_array_path(target.path, overwrite, inputs);
    case Content::maps:
      return check_maps_path(target.path, overwrite, inputs);
    case Content::scan:
      if (!target.path.ends_with(".h5") && !target.path.ends_with(".mrd"))
        throw usage_error("output {}: the extension is not one for a scan: expected .h5 or .mrd",
                          target.path);
      return check_target(target.path, overwrite, inputs);
    case Content::text:
      return check_target(target.path, overwrite, inputs);
    case Content::checkpoint:
      return check_target(target.path, true, inputs);
    case Content::wisdom:
      return refuse_inputs(target.path, inputs);  // its folder is created if it does not exist
  }
}

bool is_needed(Content content) {
  return content == Content::images || content == Content::array || content == Content::maps ||
         content == Content::scan;
}

// Some folders have write permission but accept no file: /proc, or folders of another machine.
void try_to_create(const Target& target) {
  if (target.content != Content::wisdom) const AtomicFile file(target.path, true);
}

std::vector<std::string> files_of(const Target& target) {
  const bool formatted = target.content == Content::images || target.content == Content::array ||
                         target.content == Content::maps;
  if (!formatted) return {target.path};
  std::vector<std::string> files = larmor::files_of(target.path, target.sidecar);
  const std::string beside = maps_geometry_path(target.path);
  if (target.content == Content::maps && !beside.empty()) files.push_back(beside);
  return files;
}

}  // namespace

void check_targets(const std::vector<Target>& targets, bool overwrite, const std::vector<std::string>& inputs,
                   Console* console) {
  std::vector<std::string> input_files;
  for (const std::string& input : inputs)
    for (const std::string& file : larmor::files_of(input)) input_files.push_back(file);
  std::vector<std::pair<std::string, std::string>> written;  // file, and the output to which it belongs
  for (const Target& target : targets) {
    try {
      check_one(target, overwrite || target.replaced, input_files);
      try_to_create(target);
    } catch (const Error& error) {
      if (console == nullptr || is_needed(target.content) || error.error_class() != ErrorClass::resource)
        throw;
      console->warning(error.what());
    }
    for (const std::string& file : files_of(target)) {
      for (const auto& [other, output] : written)
        if (same_target(file, other))
          throw usage_error("outputs {} and {} would both write {}", output, target.path, file);
      written.emplace_back(file, target.path);
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
  AtomicFile file(path, overwrite);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace larmor::app
