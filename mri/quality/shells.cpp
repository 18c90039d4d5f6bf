#include <larmor/mri/quality/shells.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {

Shells::Shells(const Shape& shape, int dims) : shape_(shape), dims_(dims) {
  Index longest = 1;
  for (int axis = shape.rank() - dims; axis < shape.rank(); ++axis) longest = std::max(longest, shape[axis]);
  longest_ = static_cast<double>(longest);
  to_edge_ = static_cast<double>(std::max<Index>(2, longest / 4));
  count_ = static_cast<Index>(std::ceil(to_edge_ * std::sqrt(static_cast<double>(dims)))) + 1;
}

double Shells::radius(Index value) const {
  double squared = 0;
  for (int axis = shape_.rank() - 1; axis >= shape_.rank() - dims_; --axis) {
    const Index n = shape_[axis];
    squared += std::pow(static_cast<double>(value % n - n / 2), 2);
    value /= n;
  }
  return std::sqrt(squared) / (0.5 * longest_);
}

}  // namespace larmor
