#pragma once

#include <larmor/core/export.hpp>

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

namespace LARMOR_API larmor {

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int number() const { return number_; }
  bool valid() const { return number_ >= 0; }
  void close() { *this = Descriptor(); }

 private:
  int number_ = -1;
};

/// Opens a regular file for reading only. Throws Error (input) if it is missing, or a folder, a pipe or a
/// device, which are not opened at all: opening a pipe waits for a writer.
Descriptor open_to_read(const std::string& path);

/// A stream for such a file, with the same errors.
std::ifstream stream_to_read(const std::string& path);

/// The content of such a file. Throws Error (input) if it has more than `most_bytes`.
std::string read_text(const std::string& path,
                      std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());

}  // namespace larmor
