#include <larmor/core/format_error.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/ismrmrd/groups.hpp>

#include <hdf5.h>

#include <algorithm>

namespace larmor {
namespace hdf5 {
namespace {

bool is_acquisition_table(hid_t file, const std::string& path) {
  if (!has_dataset(file, path)) return false;
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  const Handle type(dataset.valid() ? H5Dget_type(dataset) : -1);
  return type.valid() && H5Tget_class(type) == H5T_COMPOUND && H5Tget_member_index(type, "head") >= 0 &&
         H5Tget_member_index(type, "traj") >= 0 && H5Tget_member_index(type, "data") >= 0;
}

std::vector<std::string> children(hid_t file, const std::string& path) {
  const Handle group(H5Gopen2(file, path.c_str(), H5P_DEFAULT));
  return group.valid() ? link_names(group) : std::vector<std::string>{};
}

std::string quoted(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back('"' + printable(name) + '"');
  return join(words);
}

}  // namespace

std::string child_path(const std::string& group, const std::string& name) {
  return group.empty() || group == "/" ? name : group + "/" + name;
}

std::vector<std::string> acquisition_groups(Id file) {
  std::vector<std::string> groups;
  if (is_acquisition_table(file, "data")) groups.emplace_back("/");
  for (const std::string& name : children(file, "/"))
    if (has_group(file, name) && is_acquisition_table(file, child_path(name, "data"))) groups.push_back(name);
  return groups;
}

std::vector<std::string> image_groups(Id file) {
  std::vector<std::string> groups;
  for (const std::string& outer : children(file, "/")) {
    if (!has_group(file, outer)) continue;
    for (const std::string& inner : children(file, outer)) {
      const std::string path = child_path(outer, inner);
      if (has_group(file, path) && has_dataset(file, child_path(path, "header")) &&
          has_dataset(file, child_path(path, "data")))
        groups.push_back(path);
    }
  }
  return groups;
}

std::string describe_contents(Id file) {
  constexpr std::size_t most = 12;
  const std::vector<std::string> top = children(file, "/");
  if (top.empty()) return "not ISMRMRD: no head/traj/data; the file is empty";
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(top.size(), most); ++i) {
    if (has_dataset(file, top[i])) {
      words.push_back(describe_dataset(file, top[i]));
    } else if (has_group(file, top[i])) {
      const std::vector<std::string> inside = children(file, top[i]);
      const auto end = inside.begin() + static_cast<std::ptrdiff_t>(std::min(inside.size(), most));
      words.push_back(
          fmt::format("group {} ({})", printable(top[i]),
                      inside.empty() ? "empty" : join(std::vector<std::string>(inside.begin(), end))));
    } else {
      words.push_back(top[i]);
    }
  }
  const auto has = [&](const char* name) { return std::find(top.begin(), top.end(), name) != top.end(); };
  std::string kind;
  if (has("kspace"))
    kind =
        has("ismrmrd_header") ? "; this looks like a fastMRI file" : "; this looks like an array of samples";
  else if (!image_groups(file).empty())
    kind = "; this looks like a file of ISMRMRD images";
  return fmt::format("not ISMRMRD: no head/traj/data; the file has {}{}", join(words), kind);
}

std::string choose_group(Id file, const std::string& path, const std::string& wanted) {
  const std::vector<std::string> groups = acquisition_groups(file);
  if (!wanted.empty()) {
    if (wanted == "/" && is_acquisition_table(file, "data")) return wanted;
    if (has_group(file, wanted)) {
      if (is_acquisition_table(file, child_path(wanted, "data"))) return wanted;
      throw input_error("{}: group \"{}\" is not ISMRMRD: no head/traj/data; it has {}", path,
                        printable(wanted), quoted(children(file, wanted)));
    }
    throw input_error("{} has no group \"{}\"; the file has: {}", path, printable(wanted),
                      quoted(groups.empty() ? children(file, "/") : groups));
  }
  if (groups.empty()) throw input_error("{} is {}", path, describe_contents(file));
  if (groups.size() > 1)
    throw input_error("{} has several groups: {}; choose one", path, quoted(groups)).about("group");
  return groups.front();
}

}  // namespace hdf5

std::vector<std::string> ismrmrd_groups(const std::string& path) {
  const hdf5::Silence silence;
  const hdf5::Handle file = hdf5::open_file(path);
  return hdf5::acquisition_groups(file);
}

std::string describe_hdf5(const std::string& path) {
  const hdf5::Silence silence;
  const hdf5::Handle file = hdf5::open_file(path);
  return hdf5::describe_contents(file);
}

}  // namespace larmor
