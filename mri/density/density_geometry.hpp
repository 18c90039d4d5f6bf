#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

namespace LARMOR_API larmor {

// Density weights as in density.hpp, from the geometry of the samples.

/// Density weights of a radial trajectory from its geometry: the exact areas of ring sectors around the
/// samples. In 2D a sector extends half way to the neighbouring spoke directions; in 3D directions are
/// assumed to be evenly spread. The innermost samples share the centre. trajectory [readouts ·
/// samples_per_readout, dims]; every readout must be straight and pass through the centre or start at it;
/// otherwise throws Error (input) with the first readout that does not.
Array<double> radial_density(View<const double> trajectory, Index samples_per_readout,
                             const Shape& image_shape, Context& ctx);

/// Density weights from the geometry of the readouts: radial_density where the first one is straight, and
/// otherwise voronoi_density, for instance of spirals; in 3D, if kz does not change along readouts, those of
/// every plane times the distance between planes (stacks of stars and of spirals).
Array<double> analytic_density(View<const double> trajectory, Index samples_per_readout,
                               const Shape& image_shape, Context& ctx);

/// Density weights of any 2D trajectory, and of stacks of such planes along z: areas of Voronoi cells (see
/// voronoi_areas for the boundary). Throws Error (input) for other 3D trajectories.
Array<double> voronoi_density(View<const double> trajectory, const Shape& image_shape, Context& ctx);

}  // namespace larmor
