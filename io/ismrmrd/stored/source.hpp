#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

// Sources of data to be written; not part of the public interface.

namespace larmor::ismrmrd {

/// Images of one extent, as announced: their number, the extents of each, and whether pixels are pairs of
/// floats or floats.
struct ImageGroup {
  std::uint64_t images, coils, z, y, x, complex;
};

/// Returns bytes in the order in which they were put in.
class Source {
 public:
  virtual ~Source() = default;
  virtual void take(void* bytes, std::size_t size) = 0;

  template <typename T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    take(&value, sizeof value);
    return value;
  }
  /// A length of 64 bits, and this many characters.
  std::string take_text() {
    std::string text(take<std::uint64_t>(), '\0');
    take(text.data(), text.size());
    return text;
  }
};

}  // namespace larmor::ismrmrd
