#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Shared helpers for the HDF5 C library; not part of the public interface.

namespace larmor::hdf5 {

/// The library's hid_t; its header is included by sources only.
using Id = std::int64_t;

/// Owns one identifier of the library, of any kind.
class Handle {
 public:
  Handle() = default;
  explicit Handle(Id id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle();
  operator Id() const { return id_; }
  bool valid() const { return id_ >= 0; }
  /// Closes the identifier now; false if the library reports a failure (such as a full disk).
  bool close();

 private:
  Id id_ = -1;
};

/// While one of these exists, the library does not print its errors.
class Silence {
 public:
  Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence();

 private:
  int (*function_)(Id, void*) = nullptr;
  void* data_ = nullptr;
};

/// The library's most specific description of the last failure, in one line.
std::string last_reason();

/// False for a datatype whose parts exceed it: members outside their compound, bits outside their number. The
/// library converts such types unchecked, and overruns memory.
bool sound_type(Id type);

/// Names of the links in a group, in alphabetical order; at most `limit`.
std::vector<std::string> link_names(Id group, std::size_t limit = 1000);
/// Name, shape and element type of an open dataset, for messages: "kspace [16, 640, 368] complex".
std::string describe_dataset(Id dataset, const std::string& name);

}  // namespace larmor::hdf5
