#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/file_shape.hpp>

namespace larmor {

Shape file_shape(std::span<const Index> extents, const std::string& name) {
  constexpr double most_elements = 1e15;
  if (extents.size() > Shape::max_rank)
    throw input_error("{} has {} axes; expected at most {}", name, extents.size(), Shape::max_rank);
  double size = 1;
  for (const Index extent : extents) {
    if (extent < 1) throw input_error("{} has an axis of length {}; expected at least 1", name, extent);
    size *= static_cast<double>(extent);
  }
  if (size > most_elements)
    throw input_error("{} claims {:.0e} elements in its header; expected at most {:.0e}", name, size,
                      most_elements);
  return {extents.data(), static_cast<int>(extents.size())};
}

}  // namespace larmor
