#pragma once

#include <larmor/core/export.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace LARMOR_API larmor {

using Index = std::int64_t;

/// Extents of an array, slowest axis first: (coil, z, y, x). Rank is a run-time value of at most 8, stored
/// inline.
class Shape {
 public:
  /// The most axes that a shape has.
  static constexpr int max_rank = 8;

  Shape() = default;
  /// Throws Error (usage) if an extent is negative or there are more than 8.
  Shape(std::initializer_list<Index> extents);
  Shape(const Index* extents, int rank);

  /// Number of axes, and their extents.
  int rank() const { return rank_; }
  Index operator[](int axis) const { return extents_[axis]; }
  Index& operator[](int axis) { return extents_[axis]; }
  const Index* begin() const { return extents_.data(); }
  const Index* end() const { return extents_.data() + rank_; }

  /// Number of elements; 1 for rank 0.
  Index size() const;
  /// A new slowest axis: {y, x}.prepend(c) is {c, y, x}.
  Shape prepend(Index extent) const;
  /// Without the n slowest axes.
  Shape drop_front(int n) const;
  /// "[8, 240, 240]"
  std::string to_string() const;

  /// True if all extents are equal.
  friend bool operator==(const Shape& a, const Shape& b) {
    return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  std::array<Index, max_rank> extents_{};
  int rank_ = 0;
};

/// Throws Error (usage) unless both shapes have the same number of elements.
void check_reshape(const Shape& from, const Shape& to);

}  // namespace larmor
