#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <vector>

namespace LARMOR_API larmor {

/// Coil maps, and where they lie.
struct PlacedMaps {
  /// [(slices,) (sets,) coils, (z,) y, x]; of files that hold a stack of slices as a volume with its axis z.
  Array<std::complex<float>> maps;
  std::vector<ImageGeometry> geometry;  ///< of the volume, or of every slice; empty: not known
};

}  // namespace larmor
