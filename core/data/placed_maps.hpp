#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <vector>

namespace LARMOR_API larmor {

/// Coil maps and their position.
struct PlacedMaps {
  /// [(slices,) (sets,) coils, (z,) y, x]; in files that store a stack of slices as a volume, z is the slice.
  Array<std::complex<float>> maps;
  std::vector<ImageGeometry> geometry;  ///< of the volume, or of every slice; empty: unknown
};

}  // namespace larmor
