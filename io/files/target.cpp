#include <larmor/core/format_error.hpp>
#include <larmor/io/files/leftovers.hpp>
#include <larmor/io/files/target.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace larmor {
namespace {

namespace fs = std::filesystem;

fs::path parent_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

bool begins_with(const std::string& path, const std::string& signature) {
  std::ifstream file(path, std::ios::binary);
  std::string start(signature.size(), '\0');
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == signature;
}

// In a folder such as /tmp, following a link means trusting its owner (the kernel's protected_symlinks).
void refuse_foreign_link(const fs::path& link, const std::string& target) {
  struct stat itself {
  }, folder{};
  if (::lstat(link.c_str(), &itself) != 0 || ::stat(parent_of(link).c_str(), &folder) != 0) return;
  const bool everyones = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  if (everyones && itself.st_uid != ::geteuid() && itself.st_uid != folder.st_uid)
    throw usage_error("{} is a link that another user made; choose another name", target);
}

}  // namespace

Replaceable Replaceable::beginning_with(std::string signature) {
  Replaceable result(false);
  result.signature_ = std::move(signature);
  return result;
}

void Replaceable::require(const std::string& target) const {
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0) return;
  if (!S_ISREG(status.st_mode))
    throw usage_error("{} is {}; give the name of a file to write", target,
                      S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
  if (every_) return;
  if (signature_.empty())
    throw usage_error("{} exists; choose another name or allow overwriting", target).about("overwrite");
  if (!begins_with(target, signature_))
    throw usage_error("{} exists and is not a regular file, so it is not replaced; choose another name",
                      target);
}

std::string resolved_target(const std::string& target) {
  fs::path path = target;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(path, error)); ++links) {
    if (links == 40) throw usage_error("{} is a symbolic link that refers to itself", target);
    refuse_foreign_link(path, target);
    const fs::path next = fs::read_symlink(path, error);
    if (error) throw resource_error("cannot follow the link {}: {}", target, error.message());
    path = next.is_absolute() ? next : parent_of(path) / next;
  }
  const fs::path folder = fs::canonical(parent_of(path), error);
  return error ? path.string() : (folder / path.filename()).string();
}

bool same_target(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  if (::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0)
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  return resolved_target(a) == resolved_target(b);
}

void refuse_inputs(const std::string& target, const std::vector<std::string>& inputs) {
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0) return;
  for (const std::string& input : inputs)
    if (::stat(input.c_str(), &status) == 0 && same_target(target, input))
      throw usage_error("{} is the input {} itself; choose another name for the output", target, input);
}

void check_target(const std::string& target, const Replaceable& replaceable,
                  const std::vector<std::string>& inputs) {
  if (target.empty()) throw usage_error("the output has no name");
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0 && errno != ENOENT && errno != ENOTDIR && errno != EACCES)
    throw usage_error("cannot write {}: {}; choose another name", target, std::strerror(errno));
  refuse_inputs(target, inputs);
  replaceable.require(target);
  const std::string folder = parent_of(resolved_target(target)).string();
  if (::stat(folder.c_str(), &status) != 0)
    throw resource_error("cannot write {}: folder {}: {}", target, folder, std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) throw resource_error("cannot write {}: {} is not a folder", target, folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw resource_error("cannot write {}: folder {}: {}", target, folder, std::strerror(errno));
  remove_leftovers(folder);
}

}  // namespace larmor
