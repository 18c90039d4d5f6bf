#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/files/leftovers.hpp>

#include <larmor/core/format_error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <mutex>
#include <set>
#include <utility>

namespace larmor {
namespace {

namespace fs = std::filesystem;

// Temporary files of this process. Names change under the lock, so that abandon_outputs() finds all of them.
struct UnderWay {
  std::timed_mutex mutex;
  std::set<std::string> names;
};

// Never destroyed: it is used until the process ends.
UnderWay& under_way() {
  static UnderWay& instance = *new UnderWay;
  return instance;
}

Error write_failure(const std::string& target, int error) {
  return resource_error("cannot write {}: {}", target, std::strerror(error));
}

std::string folder_of(const std::string& path) {
  return fs::path(path).parent_path().string();
}

std::string file_name(const std::string& path) {
  return fs::path(path).filename().string();
}

bool same_contents(const std::string& a, const std::string& b) {
  std::ifstream first(a, std::ios::binary), second(b, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return first && second && std::equal(Bytes(first), Bytes(), Bytes(second), Bytes());
}

// The permissions of an existing file are kept; set-user-ID and similar bits are not.
void narrow_permissions(int descriptor, const std::string& target) {
  struct stat old {
  }, made{};
  if (::stat(target.c_str(), &old) == 0 && ::fstat(descriptor, &made) == 0)
    (void)!::fchmod(descriptor, old.st_mode & made.st_mode & 0777);
}

}  // namespace

AtomicFile::AtomicFile(std::string target, const Replaceable& replaceable)
    : target_(std::move(target)), replaceable_(replaceable) {
  check_target(target_, replaceable_);
  resolved_ = fs::absolute(resolved_target(target_)).string();
  const std::lock_guard lock(under_way().mutex);
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = folder_of(resolved_) + "/" + temporary_name(file_name(resolved_));
    // The HDF5 library reads parts that it has written.
    descriptor_ = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && (errno != EEXIST || attempt == 100)) {
      const int error = errno;
      throw write_failure(target_, error);
    }
    // Between its creation and the lock, the file looks like a leftover.
    if (descriptor_ >= 0 && lock_temporary(descriptor_) == Lock::taken)
      ::close(std::exchange(descriptor_, -1));
  }
  under_way().names.insert(temporary_);
  narrow_permissions(descriptor_, resolved_);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  const std::lock_guard lock(under_way().mutex);
  ::unlink(temporary_.c_str());
  settled();
}

// Under the lock: the temporary name no longer exists.
void AtomicFile::settled() {
  under_way().names.erase(temporary_);
  ::close(std::exchange(descriptor_, -1));
}

void AtomicFile::write(const void* bytes, std::size_t size) {
  const char* position = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, position, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw write_failure(target_, written < 0 ? errno : ENOSPC);
    position += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::sync() {
  // EINVAL: the file system does not support it.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) throw write_failure(target_, errno);
}

void AtomicFile::commit(const std::vector<FileBeside>& beside) {
  if (!beside.empty()) return commit_set(beside);
  sync();
  replaceable_.require(target_);
  {
    const std::lock_guard lock(under_way().mutex);
    const int error = put_in_place(temporary_, resolved_, replaceable_.some());
    if (error == EEXIST) replaceable_.require(target_);
    if (error != 0) throw write_failure(target_, error);
    settled();
  }
  sync_folder(folder_of(resolved_));
}

void AtomicFile::commit_set(const std::vector<FileBeside>& beside) {
  const std::string folder = folder_of(resolved_);
  std::list<AtomicFile> others;
  for (const auto& [target, text] : beside) {
    AtomicFile& file = others.emplace_back(target, replaceable_);
    if (folder_of(file.resolved_) != folder)
      throw usage_error("{} and {} are links to different places; give the name of the file itself", target_,
                        target);
    file.write(text.data(), text.size());
    file.sync();
  }
  sync();
  const FolderLock folder_lock(folder);
  const auto require = [&] {
    replaceable_.require(target_);
    for (const AtomicFile& file : others) replaceable_.require(file.target_);
  };
  require();
  {
    const std::lock_guard lock(under_way().mutex);
    std::error_code unknown;
    const int error = fs::exists(resolved_, unknown) ? replace_set(others) : put_new_set(others);
    if (error == EEXIST) require();
    if (error != 0) throw write_failure(target_, error);
    settled();
    for (AtomicFile& file : others) file.settled();
  }
  sync_folder(folder);
}

// A new set of files; the main file comes last. Returns 0 or an errno value; in that case none of them is in
// place.
int AtomicFile::put_new_set(std::list<AtomicFile>& others) {
  int error = 0;
  std::vector<std::string> placed;
  for (const AtomicFile& file : others) {
    if (error == 0) error = put_in_place(file.temporary_, file.resolved_, replaceable_.some());
    if (error == 0) placed.push_back(file.resolved_);
  }
  if (error == 0) error = put_in_place(temporary_, resolved_, replaceable_.some());
  if (error != 0)
    for (const std::string& path : placed) ::unlink(path.c_str());
  return error;
}

// The main file exists at every moment, old or new, and never beside files of the other version: files of the
// old one are removed before it is replaced, unless they equal the new ones.
int AtomicFile::replace_set(std::list<AtomicFile>& others) {
  for (const AtomicFile& file : others)
    if (!same_contents(file.temporary_, file.resolved_) && ::unlink(file.resolved_.c_str()) != 0 &&
        errno != ENOENT)
      return errno;
  int error = put_in_place(temporary_, resolved_, true);
  for (const AtomicFile& file : others)
    if (error == 0) error = put_in_place(file.temporary_, file.resolved_, true);
  return error;
}

void abandon_outputs() noexcept {
  UnderWay& files = under_way();
  // The lock file is kept: a process that holds the lock now will finish soon.
  if (!files.mutex.try_lock_for(std::chrono::milliseconds(100))) return;
  for (const std::string& name : files.names) ::unlink(name.c_str());
}

}  // namespace larmor
