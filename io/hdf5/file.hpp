#pragma once

#include <larmor/io/hdf5/handle.hpp>

#include <cstring>
#include <span>
#include <string>
#include <type_traits>

// Not part of the public interface.

namespace larmor::hdf5 {

/// The bytes of an open file, which the caller owns.
class MappedFile {
 public:
  /// Throws Error: input for a file that is empty or cannot be examined, resource.
  MappedFile(int descriptor, const std::string& name);
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();
  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// A file opened for reading, and its bytes. The file is mapped into memory, and the library reads from
/// there: nothing is opened after the constructor. A file that shrinks while it is read ends the process,
/// which is why untrusted files are read in a separate process.
class File {
 public:
  /// `name` is for messages. A Silence must exist. Throws Error (input) with the reason: not HDF5, truncated
  /// ("X of Y bytes"), addresses that do not have 8 bytes, or the library's own reason.
  File(MappedFile mapping, const std::string& name);
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  operator Id() const { return handle_; }
  const std::string& name() const { return name_; }
  /// Bytes at an address, relative to the file's base address.
  std::uint64_t size() const { return bytes_.size(); }
  /// Empty if the range exceeds the file.
  std::span<const std::uint8_t> view(std::uint64_t address, std::uint64_t count) const {
    return address > size() || count > size() - address ? std::span<const std::uint8_t>()
                                                        : bytes_.subspan(address, count);
  }
  /// Offset of bytes of a view() from the beginning of the file on the disk.
  std::uint64_t place_of(std::span<const std::uint8_t> bytes) const {
    return static_cast<std::uint64_t>(bytes.data() - mapping_.bytes().data());
  }
  /// False if the value exceeds the file.
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

/// A little-endian number of the given size.
template <typename T>
T number_at(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace larmor::hdf5
