#pragma once

#include <larmor/core/context.hpp>

namespace larmor {

// Density weights d are quadrature weights in units of one cell of the image's own Cartesian grid: d_j is the
// k-space area (volume) of sample j in (cycles/pixel)^dims, times the number of image pixels N. A fully
// sampled Cartesian grid has d = 1, a trajectory that covers all of k-space has Σd = N, and for well sampled
// trajectories Fᴴ d F ≈ identity on what was sampled, with F the Nufft scaled by 1/√N.

struct PipeMenonOptions {
  int iterations = 30;
  double nufft_tolerance = 1e-2;
};

/// Density weights by the fixed-point iteration d ← d / |F Fᴴ d| (Pipe & Menon 1999, eq. 6) for an image of
/// `image_shape`; works for any trajectory [samples, dims] in cycles/pixel. Result [samples].
Array<double> pipe_menon(View<const double> trajectory, const Shape& image_shape,
                         const PipeMenonOptions& options, Context& ctx);

/// Density weights of a radial trajectory, 2D or 3D, from its geometry: sectors between neighbouring spoke
/// directions times the exact areas of rings between samples, the centre shared by all that meet there.
/// trajectory [readouts · samples_per_readout, dims]. Every readout must be straight and pass through or
/// start at the centre, all with the same radii; throws Error (input) otherwise, with the first readout that
/// is not.
Array<double> radial_density(View<const double> trajectory, Index samples_per_readout,
                             const Shape& image_shape, Context& ctx);

}  // namespace larmor
