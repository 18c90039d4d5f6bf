#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

namespace LARMOR_API larmor {

// Density weights d are quadrature weights in units of one cell of the image's own Cartesian grid: d_j is the
// k-space area (volume) of sample j in (cycles/pixel)^dims, times the number of image pixels N. A fully
// sampled Cartesian grid has d = 1, a trajectory that covers all of k-space has Σd = N, and for well sampled
// trajectories Fᴴ d F ≈ identity on what was sampled, with F the Nufft scaled by 1/√N.

/// Parameters of the fixed-point iteration for density weights.
struct PipeMenonOptions {
  int iterations = 4;             ///< of two transforms each; every four are equivalent to eight plain ones
  double nufft_tolerance = 5e-3;  ///< about twice the error of the weights
  /// Field of view in pixels of the image (z, y, x) that holds the object; empty: the image. Samples farther
  /// apart than its inverse no longer share k-space, so that an unnecessarily large one leads to gaps.
  Shape field_of_view{};
};

/// Density weights by the fixed-point iteration d ← d / (Ψ ∗ d) (Pipe & Menon 1999), with powers of the
/// divisor that reduce the number of iterations. Ψ is non-negative, the squared sinc of a triangle in the
/// image domain, because kernels with negative lobes make the iteration diverge. Works for any trajectory
/// [samples, dims] in cycles/pixel of `image_shape`. The partitions of a stack that is sampled completely
/// along z, with the same samples in each partition, have the weights of one plane. Result [samples].
Array<double> pipe_menon(View<const double> trajectory, const Shape& image_shape,
                         const PipeMenonOptions& options, Context& ctx);

}  // namespace larmor
