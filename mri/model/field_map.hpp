#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/model/off_resonance.hpp>
#include <larmor/mri/scan/grids.hpp>

#include <complex>

namespace LARMOR_API larmor {

/// Owns a field map.
struct FieldArrays {
  Array<float> frequency, decay, weight;
  /// Borrowed.
  FieldMap view() const;
};

/// The field map of a slice on the solve grid. given.frequency: [(z,) y, x] of the recon or of the solve
/// grid, or one such map for each slice, [slices, y, x], of which the one at `position` is used. On a larger
/// solve grid the outermost values are extended, with weight 0. Throws Error (input) naming the shapes if it
/// has neither grid.
FieldArrays field_on_solve_grid(const FieldMap& given, const Grids& grids, Index slices, Index position);

/// The same with weight 0 where all coil maps [..., (z,) y, x] are 0: there is no object, and field maps are
/// noise. Unchanged if nothing would remain.
template <typename T>
FieldArrays masked(FieldArrays field, View<const std::complex<T>> maps);

}  // namespace larmor
