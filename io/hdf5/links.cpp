#include <larmor/io/hdf5/links.hpp>
#include <larmor/io/hdf5/storage.hpp>

#include <hdf5.h>

#include <deque>

namespace larmor::hdf5 {
namespace {

constexpr int most_soft_links = 16;  // soft links may form a loop
constexpr std::size_t longest_link = 4096;

void push_parts(std::deque<std::string>& parts, const std::string& path) {
  for (std::size_t end = path.size(); end > 0;) {
    const std::size_t slash = path.rfind('/', end - 1);
    const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
    const std::string part = path.substr(start, end - start);
    if (!part.empty() && part != ".") parts.push_front(part);
    end = slash == std::string::npos ? 0 : slash;
  }
}

Found root_of(const File& file, Handle& root) {
  root = Handle(H5Gopen2(file, "/", H5P_DEFAULT));
  H5O_info_t info{};
  if (!root.valid() || H5Oget_info2(root, &info, H5O_INFO_BASIC) < 0) return {};
  return {Found::Kind::group, info.addr, {}};
}

Found object_at(const File& file, std::uint64_t address, Handle& object) {
  Found found;
  found.address = address;
  // Opening a dataset whose chunks have no extent would cause a division by zero.
  const Storage storage = read_storage(file, address);
  if (storage.kind == Storage::Kind::damaged) {
    found.kind = Found::Kind::damaged;
    found.reason = storage.reason;
    return found;
  }
  object = open_object(file, address);
  if (!object.valid()) return found;
  const H5I_type_t type = H5Iget_type(object);
  found.kind = type == H5I_GROUP     ? Found::Kind::group
               : type == H5I_DATASET ? Found::Kind::dataset
                                     : Found::Kind::other;
  return found;
}

}  // namespace

Handle open_object(const File& file, std::uint64_t address) {
  return Handle(H5Oopen_by_addr(file, address));
}

Found find_object(const File& file, const std::string& path) {
  std::deque<std::string> parts;
  push_parts(parts, path);
  Handle object;
  Found found = root_of(file, object);
  for (int soft_links = 0; !parts.empty();) {
    const std::string name = std::move(parts.front());
    parts.pop_front();
    H5L_info_t link{};
    if (found.kind != Found::Kind::group || H5Lexists(object, name.c_str(), H5P_DEFAULT) <= 0 ||
        H5Lget_info(object, name.c_str(), &link, H5P_DEFAULT) < 0)
      return {};
    if (link.type == H5L_TYPE_HARD) {
      found = object_at(file, link.u.address, object);
    } else if (link.type == H5L_TYPE_SOFT) {
      std::string target(link.u.val_size, '\0');
      if (++soft_links > most_soft_links || target.size() > longest_link || target.empty() ||
          H5Lget_val(object, name.c_str(), target.data(), target.size(), H5P_DEFAULT) < 0)
        return {};
      target.resize(target.find('\0') == std::string::npos ? target.size() : target.find('\0'));
      push_parts(parts, target);
      if (target.starts_with('/')) found = root_of(file, object);
    } else {
      found = {Found::Kind::elsewhere, 0, {}};
    }
    if (found.kind == Found::Kind::elsewhere || found.kind == Found::Kind::damaged) return found;
  }
  return found;
}

}  // namespace larmor::hdf5
