#pragma once

#include "fuzz/targets.hpp"

#include <larmor/io/files/descriptor.hpp>

#include <istream>
#include <streambuf>

namespace larmor::test::fuzz {

/// A file in memory with these bytes. Every call uses the same memory: only one file at a time.
Descriptor memory_file(Bytes bytes);

class MemoryBuffer : public std::streambuf {
 public:
  explicit MemoryBuffer(Bytes bytes) {
    char* const start = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
    setg(start, start, start + bytes.size());
  }

 private:
  pos_type seekpos(pos_type position, std::ios_base::openmode) override {
    if (position < 0 || position > egptr() - eback()) return {off_type(-1)};
    setg(eback(), eback() + position, egptr());
    return position;
  }
};

/// A stream that reads bytes without copying them.
class MemoryStream : private MemoryBuffer, public std::istream {
 public:
  explicit MemoryStream(Bytes bytes)
      : MemoryBuffer(bytes), std::istream(static_cast<std::streambuf*>(this)) {}
};

}  // namespace larmor::test::fuzz
