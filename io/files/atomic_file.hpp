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
/// folder and renamed by commit(). Without commit(), also after an exception, the temporary file is removed
/// and an existing file is left unchanged. If the process is killed, the next process that writes to the
/// folder removes the temporary file.
class AtomicFile {
 public:
  /// Creates the empty temporary file. Throws Error like check_target(), and resource if it cannot be created
  /// (disk full). Permissions follow the umask; they are never wider than those of a replaced file.
  explicit AtomicFile(std::string target, const Replaceable& replaceable = false);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Appends. Throws Error (resource) if not all bytes could be written.
  void write(const void* bytes, std::size_t size);
  /// The file to write to until commit(), for libraries that open files themselves.
  const std::string& temporary_path() const { return temporary_; }
  /// The same file as an open descriptor, for other processes; owned by this object.
  int descriptor() const { return descriptor_; }
  const std::string& target() const { return target_; }
  /// Puts the written file and its companions in the target's place once it is safe on the disk. If the
  /// process is killed meanwhile, a new file does not exist yet, although companions may; a replaced file is
  /// the old or the new one, and its companions belong to it or are missing. Throws like the constructor, and
  /// Error (usage) if links lead them to different folders.
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

/// For a process that must end without waiting for its threads: removes the temporary files of all unfinished
/// outputs, none of which can be put in place any more.
void abandon_outputs() noexcept;

}  // namespace larmor
