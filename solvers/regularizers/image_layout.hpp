#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/shape.hpp>

namespace LARMOR_API larmor {

/// Meaning of the axes of an unknown image: [(frames, contrasts, …,) (z,) y, x]; the last `space` are
/// spatial.
struct ImageLayout {
  Shape shape;
  int space = 2;  ///< 1 to 3

  /// True if there is an axis slower than the spatial ones; axis 0 is then time, contrast or coefficient.
  bool has_frames() const { return shape.rank() > space; }
  Index frames() const { return has_frames() ? shape[0] : 1; }
  /// Number of elements of one entry of the slower axes.
  Index pixels() const { return shape.drop_front(shape.rank() - space).size(); }
};

}  // namespace larmor
