#pragma once

#include <string>

// Temporary files of outputs, and removal of those that killed processes left; not part of the public
// interface. An output NAME is written as ".NAME.HOST-BOOT-RANDOM.part" in the same folder, under a lock
// (flock) held by its process. HOST and BOOT stand for the machine's name and the boot of its kernel: a lock
// is valid only among processes of the same kernel, in any container. Such a name allows the next command to
// remove only the file that has it.

namespace larmor {

/// A new name for the temporary file of `name` (a file name without folder). Names stay within the 255 bytes
/// that a file name may have.
std::string temporary_name(const std::string& name);
constexpr std::size_t longest_temporary = 255 - 36;  ///< bytes of a name that temporary_name() keeps

/// State of this process's lock on a temporary file; taken: another process has it or has removed the file;
/// unknown: the file system has no locks.
enum class Lock { held, taken, unknown };
Lock lock_temporary(int descriptor);

/// Renames a file. Without `replace` an existing target is left unchanged. Returns 0 or an errno value.
int put_in_place(const std::string& temporary, const std::string& target, bool replace);

/// Lock held while the files of a set are put in place, so that two processes do not mix theirs. Waits two
/// seconds at most; not held after that, or if the file system has no locks on folders.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_;
};

/// Removes temporary files of killed processes from a folder. Locked files, and files of another user or
/// another machine's process, are left alone.
void remove_leftovers(const std::string& folder);

/// Makes the names in a folder durable against power failure.
void sync_folder(const std::string& folder);

}  // namespace larmor
