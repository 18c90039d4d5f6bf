#pragma once

#include <larmor/core/context.hpp>

#include <complex>

namespace larmor {

// What tells whether data can give coil maps, and whether maps agree with data.

/// Points across of the largest centre of k-space without holes, at most `most`: around every place within,
/// half a point apart, lies a sample nearer than 0.8 points. Points are 1/image_shape cycles/pixel apart, so
/// that fully sampled Cartesian data have none farther than 0.71, and interleaves at twice the distance that
/// the field of view asks for leave 1.0. trajectory [samples, dims] in cycles/pixel.
Index sampled_centre(View<const double> trajectory, const Shape& image_shape, Index most, Context& ctx);

/// How strong a copy of the object, an eighth of the field of view away or more, the sampling of the centre
/// leaves, relative to the object: max |Σ exp(2πi k·x)| over displacements x, of the samples within `size`
/// points across, relative to their number. factors [samples]: what this is of two bands whose factors have
/// this quotient, as near as can be, and a band is the other's copy where it is 1. Without factors 1 where
/// samples lie on a lattice with holes, as every second line: then no data tell the copy from the object.
/// trajectory [samples, dims] in cycles/pixel.
double strongest_copy(View<const double> trajectory, const Shape& image_shape, Index size, Context& ctx,
                      View<const std::complex<double>> factors = {});

/// The fraction of the energy of samples [coils, samples] that no image explains together with maps [coils,
/// (z,) y, x]: min over images of ‖y − E m x‖²/‖y‖², by ten conjugate gradient iterations on a grid of `size`
/// points across the smallest axis, samples beyond it left out. Maps of another object, or of one that was
/// folded over, explain less; noise adds its share for all maps alike.
double unexplained_energy(View<const double> trajectory, View<const std::complex<float>> samples,
                          View<const std::complex<float>> maps, Index size, Context& ctx);

/// Which part of the energy of a point of the centre is noise, of the centre of `size` points across: of
/// samples [coils, samples] whose noise has unit variance, where a point's noise is averaged over the samples
/// that fall to it. trajectory [samples, dims] in cycles/pixel.
double noise_of_a_point(View<const double> trajectory, View<const std::complex<float>> samples,
                        const Shape& image_shape, Index size);

}  // namespace larmor
