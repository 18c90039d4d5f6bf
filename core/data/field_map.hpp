#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/export.hpp>

namespace LARMOR_API larmor {

/// A map of off-resonance, as given. Views are borrowed for the length of a call; host memory.
struct FieldMap {
  View<const float> frequency;  ///< Hz, [(z,) y, x] of the image
  View<const float> decay;      ///< R2* in 1/s, of the same shape; empty: 0
  /// Non-negative weights of the pixels in the accuracy of the approximation, of the same shape, zero outside
  /// the object, where field maps are noise; empty: 1.
  View<const float> weight;
};

}  // namespace larmor
