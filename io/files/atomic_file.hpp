#pragma once

#include <larmor/core/export.hpp>
#include <larmor/io/files/target.hpp>

#include <cstddef>
#include <list>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// A small file that belongs to another one in the same folder: a header, a sidecar.
struct FileBeside {
  std::string target, text;
};

/// An output file that appears complete or not at all: it is written under a temporary name in the target's
/// folder and renamed by commit(). Without commit(), also when an exception passes, the temporary file is
/// removed and a file that was there before stays as it was. When the process is killed, the next one that
/// writes to the folder removes the temporary file.
class AtomicFile {
 public:
  /// Creates the empty temporary file. Throws Error like check_target(), and resource when it cannot be
  /// created (disk full). Permissions follow the umask; they are never wider than those of the file that is
  /// replaced.
  explicit AtomicFile(std::string target, const Replaceable& replaceable = false);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Appends. Throws Error (resource) when not all bytes could be written.
  void write(const void* bytes, std::size_t size);
  /// The file to write to until commit(), for libraries that open files themselves.
  const std::string& temporary_path() const { return temporary_; }
  /// The same, open, for processes that write; it stays this object's.
  int descriptor() const { return descriptor_; }
  const std::string& target() const { return target_; }
  /// Puts the written file in the target's place when it is safe on the disk, and those beside it. Where the
  /// process is killed meanwhile, a new file is not there yet, though some beside it may be; a file that is
  /// replaced is the old or the new one, and what lies beside it belongs to it or is missing. Throws like the
  /// constructor, and Error (usage) where links lead them to different folders.
  void commit(const std::vector<FileBeside>& beside = {});

 private:
  void commit_set(const std::vector<FileBeside>& beside);
  int put_new_set(std::list<AtomicFile>& others);
  int replace_set(std::list<AtomicFile>& others);
  void sync();
  void settled();

  std::string target_, resolved_, temporary_;
  Replaceable replaceable_;
  int descriptor_ = -1;  ///< holds the lock
};

/// For the end of a process that cannot wait for its threads: removes the temporary files of all outputs
/// under way, none of which can be put in place any more.
void abandon_outputs() noexcept;

}  // namespace larmor
