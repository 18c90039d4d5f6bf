#pragma once

#include <larmor/io/hdf5/handle.hpp>

#include <cstring>
#include <span>
#include <string>
#include <type_traits>

// No part of the public interface.

namespace larmor::hdf5 {

/// The bytes of an open file, which stays the caller's.
class MappedFile {
 public:
  /// Throws Error: input for a file that is empty or cannot be looked at, resource.
  MappedFile(int descriptor, const std::string& name);
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();
  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// A file opened to be read, and its bytes. The file is mapped into memory, and the library reads from there:
/// nothing is opened after the constructor. A file that shrinks while it is read ends the process, so that
/// files of others are read in a process of their own.
class File {
 public:
  /// `name` is for messages. A Silence must be alive. Throws Error (input) that says what is wrong with the
  /// file: not HDF5, truncated ("X of Y bytes"), addresses that have not 8 bytes, or the library's reason.
  File(MappedFile mapping, const std::string& name);
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  operator Id() const { return handle_; }
  const std::string& name() const { return name_; }
  /// Bytes from the address that the file's addresses count from.
  std::uint64_t size() const { return bytes_.size(); }
  /// Empty when the range leaves the file.
  std::span<const std::uint8_t> view(std::uint64_t address, std::uint64_t count) const {
    return address > size() || count > size() - address ? std::span<const std::uint8_t>()
                                                        : bytes_.subspan(address, count);
  }
  /// Where bytes of a view() lie, from the beginning of the file on the disk.
  std::uint64_t place_of(std::span<const std::uint8_t> bytes) const {
    return static_cast<std::uint64_t>(bytes.data() - mapping_.bytes().data());
  }
  /// False when the value leaves the file.
  template <typename T>
  bool read(std::uint64_t address, T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto bytes = view(address, sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return !bytes.empty();
  }

 private:
  std::string name_;
  MappedFile mapping_;  // outlives the handle
  Handle handle_;
  std::span<const std::uint8_t> bytes_;
};

/// A little-endian number of some bytes.
template <typename T>
T number_at(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace larmor::hdf5
