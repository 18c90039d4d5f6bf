#include <larmor/io/files/leftovers.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string_view>
#include <thread>

namespace larmor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view part = ".part";

// 32 bits of FNV-1a, as 8 digits.
std::string short_hash(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return fmt::format("{:08x}", hash);
}

const std::string& this_host() {
  static const std::string hash = [] {
    utsname name{};
    return short_hash(::uname(&name) == 0 ? name.nodename : "");
  }();
  return hash;
}

const std::string& this_boot() {
  static const std::string hash = [] {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    file >> id;
    return short_hash(id);
  }();
  return hash;
}

// True for the name of a temporary file of this machine: ".NAME.HOST-BOOT-RANDOM.part".
bool is_temporary(std::string_view name) {
  constexpr std::size_t digits = 8, ids = 3 * (digits + 1);
  if (!name.ends_with(part) || name.size() < ids + part.size() + 2 || name[0] != '.') return false;
  const std::string_view last = name.substr(name.size() - part.size() - ids, ids);
  for (std::size_t i = 0; i < ids; ++i) {
    const char c = last[i];
    const bool fits =
        i % (digits + 1) == 0 ? c == (i == 0 ? '.' : '-') : (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (!fits) return false;
  }
  return last.substr(1, digits) == this_host() || last.substr(digits + 2, digits) == this_boot();
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// Removes only files that a killed process of this machine and user left behind.
void remove_leftover(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
      lock_temporary(descriptor) == Lock::held)
    ::unlink(path.c_str());
  ::close(descriptor);
}

}  // namespace

std::string temporary_name(const std::string& name) {
  std::random_device random;
  return fmt::format(".{}.{}-{}-{:08x}{}", name.substr(0, longest_temporary), this_host(), this_boot(),
                     random(), part);
}

Lock lock_temporary(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK ? Lock::taken : Lock::unknown;
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0 ? Lock::held : Lock::taken;
}

int put_in_place(const std::string& temporary, const std::string& target, bool replace) {
  if (!replace) {
    // A hard link fails if the target exists by now; file systems without hard links get a check and a
    // rename.
    const int error = ::link(temporary.c_str(), target.c_str()) == 0 ? 0 : errno;
    if (error == 0 || (error == EEXIST && same_file(temporary, target))) {
      ::unlink(temporary.c_str());
      return 0;
    }
    struct stat status {};
    if (error == EEXIST || ::stat(target.c_str(), &status) == 0) return EEXIST;
  }
  return ::rename(temporary.c_str(), target.c_str()) == 0 ? 0 : errno;
}

FolderLock::FolderLock(const std::string& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  // In a public folder any user can hold the lock: waiting has a time limit.
  for (int attempt = 0; descriptor_ >= 0 && attempt < 100; ++attempt) {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void remove_leftovers(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_temporary(entry->path().filename().string())) remove_leftover(entry->path().string());
}

void sync_folder(const std::string& folder) {
  // The folder cannot be opened for reading, or the file system does not support it: the files are complete
  // anyway.
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace larmor
