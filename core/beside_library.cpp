#include <larmor/core/beside_library.hpp>
#include <larmor/core/format_error.hpp>

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

// Location of libexec/larmor for a program linked with an installed static library, from its CMake package.
extern "C" __attribute__((weak)) const char* const larmor_installed_libexec;

namespace larmor {
namespace {

namespace fs = std::filesystem;

// The program or shared library that holds this function.
fs::path own_binary() {
  Dl_info info{};
  link_map* map = nullptr;
  std::error_code error;
  const auto self = reinterpret_cast<const void*>(&find_beside_library);
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

std::string find_beside_library(const std::string& name) {
  std::error_code error;
  fs::path found, folder = own_binary().parent_path();
  constexpr int most_levels = 4;
  for (int level = 0; level < most_levels && found.empty(); ++level, folder = folder.parent_path())
    found = fs::canonical(folder / "libexec" / "larmor" / name, error);
  if (found.empty() && &larmor_installed_libexec != nullptr)
    found = fs::canonical(fs::path(larmor_installed_libexec) / name, error);
  if (found.empty()) found = fs::canonical(fs::path(LARMOR_LIBEXEC) / name, error);
  return found.string();
}

void require_trusted(const std::string& file) {
  struct stat status {};
  const uid_t owner = ::stat(own_binary().c_str(), &status) == 0 ? status.st_uid : 0;
  const fs::path path = file;
  if (!trusted(path, owner) || !trusted(path.parent_path(), owner))
    throw resource_error(
        "{} is not used: other users may write to it or its folder; correct its owner and permissions, or "
        "reinstall Larmor",
        file);
}

}  // namespace larmor
