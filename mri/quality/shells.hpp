#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/shape.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// Shells of an image's k-space, two cells wide, from the centre to the corners. Distances are counted in
/// cells along every axis: an object whose extents follow those of the field of view has equal power
/// throughout a shell.
class Shells {
 public:
  /// For arrays [outer…, (z,) y, x] with `dims` spatial axes, centred: frequency 0 is at ⌊n/2⌋.
  Shells(const Shape& shape, int dims);
  /// Number of shells.
  Index count() const { return count_; }
  /// Number of shells up to the edge of the longest axis.
  double to_edge() const { return to_edge_; }
  /// Distances of the values of a row, which is along x, from the centre: 1 at the edge of the longest axis.
  std::vector<double> radii(Index row) const;
  /// The distance of one value.
  double radius(Index value) const;
  /// The shell of a value.
  Index of(Index value) const { return static_cast<Index>(radius(value) * to_edge_); }

 private:
  Shape shape_;
  int dims_;
  double longest_ = 1, to_edge_;
  Index count_;
};

}  // namespace larmor
