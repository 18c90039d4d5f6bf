#include <larmor/core/shape.hpp>

#include <larmor/core/format_error.hpp>

namespace larmor {

Shape::Shape(const Index* extents, int rank) : rank_(rank) {
  if (rank > max_rank) throw usage_error("a shape has at most {} axes, got {}", max_rank, rank);
  for (int axis = 0; axis < rank; ++axis) {
    if (extents[axis] < 0) throw usage_error("axis {} of a shape has extent {}", axis, extents[axis]);
    extents_[axis] = extents[axis];
  }
}

Shape::Shape(std::initializer_list<Index> extents)
    : Shape(extents.begin(), static_cast<int>(extents.size())) {}

Index Shape::size() const {
  Index size = 1;
  for (Index extent : *this) {
    if (__builtin_mul_overflow(size, extent, &size))
      throw usage_error("shape {} has more elements than can be counted", to_string());
  }
  return size;
}

Shape Shape::prepend(Index extent) const {
  Shape result;
  if (rank_ == max_rank) throw usage_error("a shape has at most {} axes", max_rank);
  result.rank_ = rank_ + 1;
  result.extents_[0] = extent;
  std::copy(begin(), end(), result.extents_.begin() + 1);
  return result;
}

Shape Shape::drop_front(int n) const {
  if (n > rank_) throw usage_error("cannot drop {} axes of shape {}", n, to_string());
  return Shape(begin() + n, rank_ - n);
}

std::string Shape::to_string() const {
  std::string text = "[";
  for (int axis = 0; axis < rank_; ++axis) text += (axis ? ", " : "") + std::to_string(extents_[axis]);
  return text + "]";
}

void check_reshape(const Shape& from, const Shape& to) {
  if (from.size() != to.size())
    throw usage_error("cannot reshape {} to {}: they have {} and {} elements", from.to_string(),
                      to.to_string(), from.size(), to.size());
}

}  // namespace larmor
