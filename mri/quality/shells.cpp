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

std::vector<double> Shells::radii(Index row) const {
  const int last = shape_.rank() - 1;
  double squared = 0;  // of the axes other than x
  for (int axis = last - 1; axis > last - dims_; --axis) {
    const Index n = shape_[axis];
    squared += std::pow(static_cast<double>(row % n - n / 2), 2);
    row /= n;
  }
  std::vector<double> result(static_cast<std::size_t>(shape_[last]));
  double x = -static_cast<double>(shape_[last] / 2);
  for (double& radius : result) radius = std::sqrt(squared + x * x) / (0.5 * longest_), ++x;
  return result;
}

double Shells::radius(Index value) const {
  const Index width = shape_[shape_.rank() - 1];
  return radii(value / width)[static_cast<std::size_t>(value % width)];
}

}  // namespace larmor
