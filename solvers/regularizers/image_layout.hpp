#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/shape.hpp>

namespace LARMOR_API larmor {

/// What the axes of an unknown image mean: [(frames, contrasts, …,) (z,) y, x], the last `space` in space.
struct ImageLayout {
  Shape shape;
  int space = 2;  ///< 1 to 3

  /// Whether there is an axis slower than those of space; axis 0 is then time, contrast or coefficient.
  bool has_frames() const { return shape.rank() > space; }
  Index frames() const { return has_frames() ? shape[0] : 1; }
  /// Elements of one entry of the slower axes.
  Index pixels() const { return shape.drop_front(shape.rank() - space).size(); }
};

}  // namespace larmor
