#pragma once

#include <string>
#include <vector>

// Temporary files of outputs, and what is left of them when a process is killed; no part of the public
// interface.
//
// An output NAME is written as ".NAME.HOST-BOOT-RANDOM.part" in the same folder, under a lock (flock) that
// its process holds. HOST and BOOT stand for the machine's name and the run of its kernel: a lock speaks for
// processes of the same kernel only, whatever container they are in. Files that belong together are put in
// place together: a list of their names, ".NAME.HOST-BOOT-RANDOM.set", decides that they are.

namespace larmor {

/// A new name for the temporary file of `name` (a file name without folder). Names stay within the 255 bytes
/// that a file name may have.
std::string temporary_name(const std::string& name);
constexpr std::size_t longest_temporary = 255 - 36;  ///< bytes of a name that temporary_name() keeps

/// Files of one folder that are put in place together, by names without the folder.
struct FileSet {
  struct Member {
    std::string temporary, target;
  };
  bool replace = false;  ///< files that are there
  std::vector<Member> members;
};
/// What the list holds.
std::string text_of(const FileSet& set);
/// Of the list's temporary file: the name by which it decides that the set is put in place.
std::string decided_name(const std::string& temporary_list);

/// Whether this process has the lock on a temporary file; taken: somebody else has it or has removed the
/// file; unknown: the file system has no locks.
enum class Lock { held, taken, unknown };
Lock lock_temporary(int descriptor);

/// Renames a file. Without `replace` an existing target is left alone. Returns 0 or an errno value.
int put_in_place(const std::string& temporary, const std::string& target, bool replace);
/// Puts a decided set in place, in its order, and removes the list. Returns 0 or an errno value; then none is
/// in place, unless the file system fails between two.
int put_set_in_place(const std::string& decided);

/// Held while sets of a folder are put in place, so that two processes do not mix theirs. Waits two seconds
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

/// Puts the decided sets of killed processes in place; under the folder's lock.
void finish_sets(const std::string& folder);
/// What killed processes left in a folder: decided sets are put in place, all else is removed. Files that
/// are locked, of another user, or of another machine's process are left alone.
void remove_leftovers(const std::string& folder);

/// Makes the names in a folder last when the machine fails.
void sync_folder(const std::string& folder);

}  // namespace larmor
