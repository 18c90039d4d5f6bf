#include <larmor/core/format_error.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/ismrmrd/stored/groups.hpp>

#include <fmt/ranges.h>

#include <hdf5.h>

#include <algorithm>

namespace larmor::hdf5 {
namespace {

bool is_acquisition_table(const File& file, const std::string& path) {
  return is_table(file, path, {"head", "traj", "data"});
}

std::vector<std::string> children(const File& file, const std::string& path) {
  const Found found = find_object(file, path);
  if (found.kind != Found::Kind::group) return {};
  return link_names(open_object(file, found.address));
}

// Names, and reasons why objects cannot be examined.
std::string describe_object(const File& file, const std::string& path, const std::string& name) {
  const Found found = find_object(file, path);
  if (found.kind == Found::Kind::elsewhere)
    return printable(name) + " (a link to another file, which is not followed; copy what it leads to)";
  if (found.kind == Found::Kind::damaged)
    return fmt::format("{} (damaged: {})", printable(name), found.reason);
  return printable(name);
}

std::string quoted(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back('"' + printable(name) + '"');
  return join(words);
}

}  // namespace

bool is_table(const File& file, const std::string& path, std::initializer_list<const char*> columns) {
  const Found found = find_object(file, path);
  if (found.kind != Found::Kind::dataset) return false;
  const Handle dataset = open_object(file, found.address);
  const Handle type(dataset.valid() ? H5Dget_type(dataset) : -1);
  return type.valid() && H5Tget_class(type) == H5T_COMPOUND &&
         std::all_of(columns.begin(), columns.end(),
                     [&](const char* name) { return H5Tget_member_index(type, name) >= 0; });
}

std::string child_path(const std::string& group, const std::string& name) {
  return group.empty() || group == "/" ? name : group + "/" + name;
}

std::vector<std::string> acquisition_groups(const File& file) {
  std::vector<std::string> groups;
  if (is_acquisition_table(file, "data")) groups.emplace_back("/");
  for (const std::string& name : children(file, "/"))
    if (has_group(file, name) && is_acquisition_table(file, child_path(name, "data"))) groups.push_back(name);
  return groups;
}

std::vector<std::string> image_groups(const File& file) {
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

std::string describe_contents(const File& file) {
  constexpr std::size_t most = 12;
  const std::vector<std::string> top = children(file, "/");
  if (top.empty()) return "not ISMRMRD: no head/traj/data; the file is empty";
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(top.size(), most); ++i) {
    const Found found = find_object(file, top[i]);
    if (found.kind == Found::Kind::dataset) {
      words.push_back(describe_dataset(open_object(file, found.address), top[i]));
    } else if (found.kind == Found::Kind::group) {
      std::vector<std::string> inside;
      for (const std::string& name : children(file, top[i]))
        if (inside.size() < most) inside.push_back(describe_object(file, child_path(top[i], name), name));
      words.push_back(fmt::format("group {} ({})", printable(top[i]),
                                  inside.empty() ? "empty" : fmt::format("{}", fmt::join(inside, ", "))));
    } else {
      words.push_back(describe_object(file, top[i], top[i]));
    }
  }
  const auto has = [&](const char* name) { return std::find(top.begin(), top.end(), name) != top.end(); };
  std::string kind;
  if (has("kspace"))
    kind =
        has("ismrmrd_header") ? "; this looks like a fastMRI file" : "; this looks like an array of samples";
  else if (!image_groups(file).empty())
    kind = "; this looks like a file of ISMRMRD images";
  else if (std::any_of(top.begin(), top.end(), [&](const std::string& name) {
             return has_group(file, name) && has_dataset(file, child_path(name, "xml")) &&
                    !has_dataset(file, child_path(name, "data"));
           }))
    kind = "; this looks like the header of a scan without readouts";
  return fmt::format("not ISMRMRD: no head/traj/data; the file has {}{}", fmt::join(words, ", "), kind);
}

std::string choose_group(const File& file, const std::string& wanted) {
  const std::string& path = file.name();
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

}  // namespace larmor::hdf5
