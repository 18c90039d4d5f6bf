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
#include <vector>

namespace larmor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view part = ".part", set_kind = ".set";
constexpr std::size_t most_list_bytes = std::size_t{1} << 20;

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

struct Temporary {
  std::string name, host, boot, kind;
};

// The parts of a temporary file's name; an empty kind when it is none.
Temporary parsed(const std::string& file_name) {
  constexpr std::size_t digits = 8, ids = 3 * (digits + 1);
  for (const std::string_view kind : {part, set_kind}) {
    if (!file_name.ends_with(kind) || file_name.size() < ids + kind.size() + 2 || file_name[0] != '.')
      continue;
    const std::size_t first = file_name.size() - kind.size() - ids;
    for (std::size_t i = 0; i < ids; ++i) {
      const char c = file_name[first + i];
      const bool fits = i % (digits + 1) == 0 ? c == (i == 0 ? '.' : '-')
                                              : (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      if (!fits) return {};
    }
    return {file_name.substr(1, first - 1), file_name.substr(first + 1, digits),
            file_name.substr(first + digits + 2, digits), std::string(kind)};
  }
  return {};
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// Opens what a killed process of this machine and user left behind, and locks it; −1 for all else.
int open_leftover(const std::string& path) {
  const Temporary name = parsed(fs::path(path).filename().string());
  if (name.host != this_host() && name.boot != this_boot()) return -1;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return -1;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
      lock_temporary(descriptor) == Lock::held)
    return descriptor;
  ::close(descriptor);
  return -1;
}

// Paths of decided sets, or of all other temporary files, in a folder.
std::vector<std::string> temporaries(const std::string& folder, bool decided) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string kind = parsed(entry->path().filename().string()).kind;
    if (!kind.empty() && (kind != part) == decided) paths.push_back(entry->path().string());
  }
  return paths;
}

// The set that a list decides on; empty where it is none of ours. Its files are in the list's folder.
FileSet read_set(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most_list_bytes, ' ');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  std::vector<std::string> words;
  for (std::size_t first = 0, end = 0; (end = text.find('\0', first)) != std::string::npos; first = end + 1)
    words.push_back(text.substr(first, end - first));
  if (words.size() % 2 == 0) return {};
  FileSet set{words[0] == "replace", {}};
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (parsed(words[i]).kind != part || words[i + 1].empty()) return {};
    for (const std::string& name : {words[i], words[i + 1]})
      if (name.find('/') != std::string::npos) return {};
    set.members.push_back({words[i], words[i + 1]});
  }
  return set;
}

}  // namespace

std::string temporary_name(const std::string& name) {
  std::random_device random;
  return fmt::format(".{}.{}-{}-{:08x}{}", name.substr(0, longest_temporary), this_host(), this_boot(),
                     random(), part);
}

std::string text_of(const FileSet& set) {
  std::string text = set.replace ? "replace" : "new";
  for (const auto& [temporary, target] : set.members) text += '\0' + temporary + '\0' + target;
  return text + '\0';
}

std::string decided_name(const std::string& temporary_list) {
  return temporary_list.substr(0, temporary_list.size() - part.size()) + std::string(set_kind);
}

Lock lock_temporary(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK ? Lock::taken : Lock::unknown;
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0 ? Lock::held : Lock::taken;
}

int put_in_place(const std::string& temporary, const std::string& target, bool replace) {
  if (!replace) {
    // A hard link fails when somebody else has made the target; file systems that have no hard links get a
    // check and a rename.
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

int put_set_in_place(const std::string& decided) {
  const fs::path folder = fs::path(decided).parent_path();
  const FileSet set = read_set(decided);
  std::vector<std::string> moved;
  int error = 0;
  for (const auto& [temporary, target] : set.members) {
    const std::string from = folder / temporary, to = folder / target;
    struct stat status {};
    if (::stat(from.c_str(), &status) != 0) continue;  // in place already
    error = put_in_place(from, to, set.replace);
    if (error != 0) break;
    moved.push_back(to);
  }
  if (error != 0) {
    if (!set.replace)
      for (const std::string& target : moved) ::unlink(target.c_str());
    for (const auto& [temporary, target] : set.members) ::unlink((folder / temporary).c_str());
  }
  ::unlink(decided.c_str());
  return error;
}

FolderLock::FolderLock(const std::string& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  // Everybody can hold a lock on a public folder: there is an end to the patience.
  for (int attempt = 0; descriptor_ >= 0 && attempt < 100; ++attempt) {
    held_ = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    if (held_ || errno != EWOULDBLOCK) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void finish_sets(const std::string& folder) {
  for (const std::string& path : temporaries(folder, true)) {
    const int descriptor = open_leftover(path);
    if (descriptor < 0) continue;
    put_set_in_place(path);
    sync_folder(folder);
    ::close(descriptor);
  }
}

void remove_leftovers(const std::string& folder) {
  if (temporaries(folder, true).empty() && temporaries(folder, false).empty()) return;
  // No set is decided on meanwhile, so that no file is taken for a leftover that its list waits for.
  const FolderLock lock(folder);
  if (!lock.held()) return;
  finish_sets(folder);
  for (const std::string& path : temporaries(folder, false)) {
    const int descriptor = open_leftover(path);
    if (descriptor < 0) continue;
    ::unlink(path.c_str());
    ::close(descriptor);
  }
}

void sync_folder(const std::string& folder) {
  // A folder that cannot be opened for reading, or a file system that cannot do it: the files are whole even
  // so.
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace larmor
