#include <larmor/io/files/atomic_file.hpp>

#include <larmor/core/format_error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

namespace larmor {
namespace {

namespace fs = std::filesystem;

Error write_failure(const std::string& target, int error) {
  return resource_error("cannot write {}: {}", target, std::strerror(error));
}

// The file that a write to `target` reaches: symbolic links are followed, so that they stay links.
fs::path resolve(const std::string& target) {
  std::error_code error;
  const fs::path real = fs::canonical(target, error);
  return error ? fs::path(target) : real;
}

fs::path folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

void refuse_existing(const std::string& target, bool overwrite) {
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0) return;
  if (!S_ISREG(status.st_mode))
    throw usage_error("{} is {}; give the name of a file to write", target,
                      S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
  if (!overwrite)
    throw usage_error("{} exists; choose another name or allow that it is replaced", target)
        .about("overwrite");
}

}  // namespace

void check_target(const std::string& target, bool overwrite, const std::vector<std::string>& inputs) {
  if (target.empty()) throw usage_error("the output has no name");
  struct stat output {};
  if (::stat(target.c_str(), &output) == 0) {
    for (const std::string& input : inputs) {
      struct stat source {};
      if (::stat(input.c_str(), &source) == 0 && source.st_dev == output.st_dev &&
          source.st_ino == output.st_ino)
        throw usage_error("{} is the input {} itself; choose another name for the output", target, input);
    }
  }
  refuse_existing(target, overwrite);
  const std::string folder = folder_of(resolve(target)).string();
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0)
    throw resource_error("cannot write {}: folder {}: {}", target, folder, std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) throw resource_error("cannot write {}: {} is not a folder", target, folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw resource_error("cannot write {}: folder {}: {}", target, folder, std::strerror(errno));
}

AtomicFile::AtomicFile(std::string target, bool overwrite)
    : target_(std::move(target)), overwrite_(overwrite) {
  check_target(target_, overwrite_);
  const fs::path real = resolve(target_);
  resolved_ = real.string();
  std::random_device random;
  for (int attempt = 0;; ++attempt) {
    // File names have at most 255 bytes.
    const std::string name = real.filename().string();
    temporary_ = (folder_of(real) / fmt::format(".{}.{:08x}.part", name.substr(0, 200), random())).string();
    const int descriptor = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      struct stat old {};
      if (::stat(resolved_.c_str(), &old) == 0) (void)!::fchmod(descriptor, old.st_mode & 07777);
      ::close(descriptor);
      return;
    }
    if (errno != EEXIST || attempt == 100) {
      const int error = errno;
      temporary_.clear();
      throw write_failure(target_, error);
    }
  }
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::commit() {
  // Without permission to overwrite, a hard link fails when somebody else made the target in the meantime;
  // file systems that have no hard links get a check and a rename.
  if (!overwrite_) {
    if (::link(temporary_.c_str(), resolved_.c_str()) == 0) {
      ::unlink(temporary_.c_str());
      temporary_.clear();
      return;
    }
    refuse_existing(target_, overwrite_);
  }
  if (::rename(temporary_.c_str(), resolved_.c_str()) != 0) throw write_failure(target_, errno);
  temporary_.clear();
}

AtomicWriter::AtomicWriter(std::string target, bool overwrite) : file_(std::move(target), overwrite) {
  descriptor_ = ::open(file_.temporary_path().c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw write_failure(file_.target(), errno);
}

AtomicWriter::~AtomicWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void AtomicWriter::write(const void* bytes, std::size_t size) {
  const char* position = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, position, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw write_failure(file_.target(), written < 0 ? errno : ENOSPC);
    position += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicWriter::commit() {
  const int status = ::close(std::exchange(descriptor_, -1));
  if (status != 0) throw write_failure(file_.target(), errno);
  file_.commit();
}

}  // namespace larmor
