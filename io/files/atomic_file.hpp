#pragma once

#include <larmor/core/export.hpp>

#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// An output file that appears complete or not at all: it is written under a temporary name in the target's
/// folder and renamed by commit(). Without commit(), also when an exception passes, the temporary file is
/// removed and a file that was there before stays as it was.
class AtomicFile {
 public:
  /// Creates the empty temporary file. Throws Error: usage when `target` exists and `overwrite` is false,
  /// resource when it cannot be created (folder missing or not writable, disk full).
  explicit AtomicFile(std::string target, bool overwrite = false);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Where to write to until commit().
  const std::string& temporary_path() const { return temporary_; }
  const std::string& target() const { return target_; }
  /// Puts the written file in the target's place. Throws like the constructor.
  void commit();

 private:
  std::string target_, resolved_, temporary_;
  bool overwrite_;
};

/// Writes a file as a whole, through an AtomicFile. Buffers are written in order.
class AtomicWriter {
 public:
  explicit AtomicWriter(std::string target, bool overwrite = false);
  AtomicWriter(const AtomicWriter&) = delete;
  AtomicWriter& operator=(const AtomicWriter&) = delete;
  ~AtomicWriter();
  /// Throws Error (resource) when not all bytes could be written.
  void write(const void* bytes, std::size_t size);
  void commit();

 private:
  AtomicFile file_;
  int descriptor_;
};

/// Throws Error unless an output could be written to `target` now: usage when it exists and `overwrite` is
/// false, when it is not a regular file, or when it is one of the `inputs` under any name (never
/// overwritten); resource when its folder is missing or not writable.
void check_target(const std::string& target, bool overwrite, const std::vector<std::string>& inputs = {});

}  // namespace larmor
