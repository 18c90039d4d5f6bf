#pragma once

#include <larmor/io/hdf5/file.hpp>

#include <string>

// Finding objects by our own rules; not part of the public interface.

namespace larmor::hdf5 {

/// Target of a path.
struct Found {
  enum class Kind {
    absent,
    elsewhere,  ///< to another file, or user-defined: not followed
    damaged,
    group,
    dataset,
    other
  };
  Kind kind = Kind::absent;
  std::uint64_t address = 0;  ///< of the object's header
  std::string reason;         ///< reason of the damage
};

/// Follows hard links, and soft links inside the file. The result is opened by its address, so that it is the
/// object that was checked.
Found find_object(const File& file, const std::string& path);
inline bool has_group(const File& file, const std::string& path) {
  return find_object(file, path).kind == Found::Kind::group;
}
inline bool has_dataset(const File& file, const std::string& path) {
  return find_object(file, path).kind == Found::Kind::dataset;
}
/// The object at an address of find_object(); invalid if it cannot be opened.
Handle open_object(const File& file, std::uint64_t address);

}  // namespace larmor::hdf5
