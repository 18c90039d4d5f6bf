#pragma once

#include <larmor/core/context.hpp>
#include <larmor/io/files/atomic_file.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace larmor {

/// A gzip file (RFC 1952) that appears complete or not at all, as AtomicFile does. Blocks of 1 MiB are
/// deflated independently by several threads and joined to one stream: the bytes do not depend on the number
/// of threads.
class GzipFile {
 public:
  /// threads: 0 for all. Throws like AtomicFile.
  explicit GzipFile(std::string target, const Replaceable& replaceable = false, int threads = 0);

  /// Appends. Throws Error (resource) if not everything could be written.
  void write(const void* bytes, std::size_t size);
  /// Puts the written file and its companions in the target's place.
  void commit(const std::vector<FileBeside>& beside = {});

 private:
  void compress(bool last);

  AtomicFile file_;
  Context ctx_;
  std::vector<unsigned char> pending_;  // not compressed yet
  unsigned long checksum_;
  std::uint32_t size_ = 0;  // modulo 2³², as the format requires
};

}  // namespace larmor
