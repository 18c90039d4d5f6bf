#include <larmor/io/hdf5/file.hpp>
#include <larmor/io/hdf5/type_message.hpp>

#include <algorithm>

namespace larmor::hdf5 {
namespace {

constexpr int deepest_message = 8;

enum TypeClass : unsigned {
  fixed_point = 0,
  floating_point = 1,
  time = 2,
  text = 3,
  bit_field = 4,
  opaque = 5,
  compound = 6,
  reference = 7,
  enumeration = 8,
  sequence = 9,
  array = 10
};

// Parses a message from its front; missing bytes make it damaged.
class TypeParser {
 public:
  explicit TypeParser(std::span<const std::uint8_t> message) : rest_(message) {}

  /// The size of the next type; 0 if it is damaged.
  std::uint64_t type(int depth) {
    const auto head = take(8);
    if (head.empty() || depth > deepest_message) return 0;
    const unsigned version = head[0] >> 4;
    const std::uint64_t bits = head[1] | head[2] << 8 | head[3] << 16;
    const std::uint64_t size = number_at<std::uint32_t>(head.data() + 4);
    if (version < 1 || version > newest_type_version || size == 0) return 0;
    return sound(head[0] & 15U, version, bits, size, depth) ? size : 0;
  }

 private:
  std::span<const std::uint8_t> take(std::size_t count) {
    if (count > rest_.size()) return {};
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  std::uint64_t number(std::size_t bytes, bool& there) {
    const auto taken = take(bytes);
    there = there && !taken.empty();
    std::uint64_t value = 0;
    for (std::size_t i = taken.size(); i > 0; --i) value = value << 8 | taken[i - 1];
    return value;
  }
  // Including its terminating zero, and padded to a multiple of 8 bytes before version 3.
  bool name(unsigned version) {
    const auto end = std::find(rest_.begin(), rest_.end(), 0);
    if (end == rest_.end()) return false;
    const auto length = static_cast<std::size_t>(end - rest_.begin()) + 1;
    return !take(version < 3 ? (length + 7) / 8 * 8 : length).empty();
  }

  bool sound(unsigned type_class, unsigned version, std::uint64_t bits, std::uint64_t size, int depth) {
    switch (type_class) {
      case fixed_point:
      case bit_field:
        return !take(4).empty();
      case floating_point:
        return !take(12).empty();
      case time:
        return !take(2).empty();
      case text:
      case reference:
        return true;
      case opaque:
        return (bits & 255) == 0 || !take(bits & 255).empty();
      case compound:
        return sound_compound(version, bits & 65535, size, depth);
      case enumeration:
        return sound_enumeration(version, bits & 65535, size, depth);
      case sequence:
        return this->type(depth + 1) > 0;
      case array:
        return sound_array(version, size, depth);
      default:
        return false;
    }
  }

  bool sound_compound(unsigned version, std::uint64_t members, std::uint64_t size, int depth) {
    std::size_t offset_bytes = 4;
    if (version == 3) offset_bytes = size < 1 << 8 ? 1 : size < 1 << 16 ? 2 : size < 1 << 24 ? 3 : 4;
    for (std::uint64_t i = 0; i < members; ++i) {
      bool there = name(version);
      const std::uint64_t offset = number(offset_bytes, there);
      std::uint64_t elements = 1;  // members of version 1 may be arrays
      if (version == 1) {
        const std::uint64_t dimensions = number(1, there);
        there = there && !take(11).empty() && dimensions <= 4;
        for (std::uint64_t axis = 0; axis < 4; ++axis) {
          const std::uint64_t extent = number(4, there);
          if (axis < dimensions && extent == 0) return false;
          if (axis < dimensions) elements = elements > size ? elements : elements * extent;
        }
      }
      const std::uint64_t member = there ? type(depth + 1) : 0;
      if (member == 0 || offset > size || member > size || elements > (size - offset) / member) return false;
    }
    return members > 0;
  }

  bool sound_enumeration(unsigned version, std::uint64_t members, std::uint64_t size, int depth) {
    if (type(depth + 1) != size) return false;
    for (std::uint64_t i = 0; i < members; ++i)
      if (!name(version)) return false;
    return members == 0 || !take(members * size).empty();
  }

  bool sound_array(unsigned version, std::uint64_t size, int depth) {
    bool there = version > 1;
    const std::uint64_t dimensions = number(1, there);
    if (version == 2) there = there && !take(3).empty();
    std::uint64_t elements = 1;
    for (std::uint64_t axis = 0; there && axis < dimensions; ++axis) {
      const std::uint64_t extent = number(4, there);
      if (extent == 0 || extent > size / elements) return false;
      elements *= extent;
    }
    if (version == 2) there = there && !take(4 * dimensions).empty();
    return there && dimensions > 0 && type(depth + 1) * elements == size;
  }

  std::span<const std::uint8_t> rest_;
};

}  // namespace

bool sound_type_message(std::span<const std::uint8_t> message) {
  return TypeParser(message).type(0) > 0;
}

}  // namespace larmor::hdf5
