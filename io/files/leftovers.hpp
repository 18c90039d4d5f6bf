#pragma once

#include <string>

// Temporary files of outputs, and what is left of them when a process is killed; no part of the public
// interface.
//
// An output NAME is written as ".NAME.HOST-BOOT-RANDOM.part" in the same folder, under a lock (flock) that
// its process holds. HOST and BOOT stand for the machine's name and the run of its kernel: a lock speaks for
// processes of the same kernel only, whatever container they are in. A file pair that has been decided on but
// is not yet in place has a header named ".NAME.HOST-BOOT-RANDOM.pair" (".newpair" where nothing may be
// replaced) beside the ".part" of its data.

namespace larmor {

/// A new name for the temporary file of `name` (a file name without folder). Names stay within the 255 bytes
/// that a file name may have.
std::string temporary_name(const std::string& name);
constexpr std::size_t longest_temporary = 255 - 36;  ///< bytes of a name that temporary_name() keeps
/// Of a pair's temporary data file: the name of the header that decides that the pair is put in place.
std::string decided_pair_name(const std::string& temporary_data, bool replace);

/// Whether this process has the lock on a temporary file; taken: somebody else has it or has removed the
/// file; unknown: the file system has no locks.
enum class Lock { held, taken, unknown };
Lock lock_temporary(int descriptor);

/// Renames a file. Without `replace` an existing target is left alone. Returns 0 or an errno value.
int put_in_place(const std::string& temporary, const std::string& target, bool replace);
/// Puts a decided pair in place, the data first. Returns 0 or an errno value; then neither is in place,
/// unless the file system fails between the two.
int put_pair_in_place(const std::string& decided);

/// Held while pairs of a folder are put in place, so that two processes do not mix theirs. Waits two seconds
/// at most; not held then, and where the file system has no locks on folders.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();
  bool held() const { return held_; }

 private:
  int descriptor_;
  bool held_ = false;
};

/// Puts the decided pairs of killed processes in place; under the folder's lock.
void finish_pairs(const std::string& folder);
/// What killed processes left in a folder: decided pairs are put in place, all else is removed. Files that
/// are locked, of another user, or of another machine's process are left alone.
void remove_leftovers(const std::string& folder);

/// Makes the names in a folder last when the machine fails.
void sync_folder(const std::string& folder);

}  // namespace larmor
