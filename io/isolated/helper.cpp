#include <larmor/core/format_error.hpp>
#include <larmor/io/isolated/helper.hpp>

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace larmor::isolated {
namespace {

namespace fs = std::filesystem;

constexpr const char* helper_name = "larmor-read";

// The program or shared library that holds this function.
fs::path own_binary() {
  Dl_info info{};
  link_map* map = nullptr;
  std::error_code error;
  const auto self = reinterpret_cast<const void*>(&find_helper);
  if (::dladdr1(self, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0 && map != nullptr &&
      map->l_name != nullptr && map->l_name[0] != '\0')
    return fs::canonical(map->l_name, error);
  return fs::canonical("/proc/self/exe", error);
}

bool trusted(const fs::path& path, uid_t owner) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
         (status.st_uid == 0 || status.st_uid == ::geteuid() || status.st_uid == owner);
}

}  // namespace

std::string find_helper(const std::string& given) {
  const fs::path own = own_binary();
  std::error_code error;
  fs::path found;
  if (!given.empty()) {
    found = fs::canonical(given, error);
  } else {
    constexpr int most_levels = 4;
    fs::path folder = own.parent_path();
    for (int level = 0; level < most_levels && found.empty(); ++level, folder = folder.parent_path())
      found = fs::canonical(folder / "libexec" / "larmor" / helper_name, error);
    if (found.empty()) found = fs::canonical(fs::path(LARMOR_LIBEXEC) / helper_name, error);
  }
  if (found.empty() || !fs::is_regular_file(found, error))
    throw resource_error(
        "the program {}, which reads files in a process of its own, is not there: expected {}; install "
        "Larmor anew, or name the program in the options of reading (helper)",
        helper_name, given.empty() ? (fs::path(LARMOR_LIBEXEC) / helper_name).string() : given);
  struct stat status {};
  const uid_t owner = ::stat(own.c_str(), &status) == 0 ? status.st_uid : 0;
  if (!trusted(found, owner) || !trusted(found.parent_path(), owner))
    throw resource_error(
        "{} is not started: others may write it or its folder; correct owner and permissions, or install "
        "Larmor anew",
        found.string());
  return found.string();
}

}  // namespace larmor::isolated
