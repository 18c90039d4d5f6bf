#pragma once

#include <larmor/core/context.hpp>
#include <larmor/io/files/atomic_file.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace larmor {

/// A gzip file (RFC 1952) that appears complete or not at all, as AtomicFile does. Blocks of 1 MiB are
/// deflated by several threads, each for itself, and joined to one stream: the file's bytes do not depend on
/// their number.
class GzipFile {
 public:
  /// threads: 0 for all. Throws like AtomicFile.
  explicit GzipFile(std::string target, const Replaceable& replaceable = false, int threads = 0);

  /// Appends. Throws Error (resource) when not all could be written.
  void write(const void* bytes, std::size_t size);
  /// Puts the written file in the target's place, with those beside it.
  void commit(const std::vector<FileBeside>& beside = {});

 private:
  void compress(bool last);

  AtomicFile file_;
  Context ctx_;
  std::vector<unsigned char> pending_;  // not compressed yet
  unsigned long checksum_;
  std::uint32_t size_ = 0;  // modulo 2³², as the format has it
};

}  // namespace larmor
