#pragma once

#include <larmor/core/context.hpp>

namespace larmor {

// Density weights d are quadrature weights in units of one cell of the image's own Cartesian grid: d_j is the
// k-space area (volume) of sample j in (cycles/pixel)^dims, times the number of image pixels N. A fully
// sampled Cartesian grid has d = 1, a trajectory that covers all of k-space has Σd = N, and for well sampled
// trajectories Fᴴ d F ≈ identity on what was sampled, with F the Nufft scaled by 1/√N.

struct PipeMenonOptions {
  int iterations = 20;
  double nufft_tolerance = 1e-3;
  /// The convolution kernel is the transform of a triangle that reaches to this fraction of the field of
  /// view, per axis. 0: 0.75; 0.5, with a quarter or less of the memory, for images above 2²² pixels.
  double kernel_reach = 0;
};

/// Density weights by the fixed-point iteration d ← d / (Ψ ∗ d) (Pipe & Menon 1999). Ψ is non-negative, the
/// squared sinc of a triangle in the image domain, because kernels with negative lobes let the iteration
/// diverge. Works for any trajectory [samples, dims] in cycles/pixel of `image_shape`. Result [samples].
Array<double> pipe_menon(View<const double> trajectory, const Shape& image_shape,
                         const PipeMenonOptions& options, Context& ctx);

/// Density weights of a radial trajectory from its geometry: the exact areas of ring sectors around the
/// samples. In 2D a sector reaches half way to the neighbouring spoke directions; in 3D directions are taken
/// as evenly spread. The innermost samples share the centre. trajectory [readouts · samples_per_readout,
/// dims]; every readout must be straight and pass through the centre or start at it; throws Error (input)
/// otherwise, with the first readout that is not.
Array<double> radial_density(View<const double> trajectory, Index samples_per_readout,
                             const Shape& image_shape, Context& ctx);

}  // namespace larmor
