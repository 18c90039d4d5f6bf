#pragma once

#include <string>

// Temporary files of outputs, and what is left of them when a process is killed; no part of the public
// interface.
//
// An output NAME is written as ".NAME.HOST-BOOT-RANDOM.part" in the same folder, under a lock (flock) that
// its process holds. HOST and BOOT stand for the machine's name and the run of its kernel: a lock speaks for
// processes of the same kernel only, whatever container they are in. No file decides over another one: such a
// name lets the next command remove the file that has it, and nothing else.

namespace larmor {

/// A new name for the temporary file of `name` (a file name without folder). Names stay within the 255 bytes
/// that a file name may have.
std::string temporary_name(const std::string& name);
constexpr std::size_t longest_temporary = 255 - 36;  ///< bytes of a name that temporary_name() keeps

/// Whether this process has the lock on a temporary file; taken: somebody else has it or has removed the
/// file; unknown: the file system has no locks.
enum class Lock { held, taken, unknown };
Lock lock_temporary(int descriptor);

/// Renames a file. Without `replace` an existing target is left alone. Returns 0 or an errno value.
int put_in_place(const std::string& temporary, const std::string& target, bool replace);

/// Held while the files of a set are put in place, so that two processes do not mix theirs. Waits two seconds
/// at most; not held then, and where the file system has no locks on folders.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_;
};

/// Removes temporary files of killed processes from a folder. Files that are locked, of another user, or of
/// another machine's process are left alone.
void remove_leftovers(const std::string& folder);

/// Makes the names in a folder last when the machine fails.
void sync_folder(const std::string& folder);

}  // namespace larmor
