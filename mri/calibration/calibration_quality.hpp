#pragma once

#include <larmor/core/context.hpp>

#include <complex>

namespace larmor {

// Measures of whether data suffice for coil maps, and whether maps agree with data.

/// Diameter in points of the largest centre of k-space without holes, at most `most`: around every position
/// inside it, on a raster of half a point, there is a sample nearer than 0.8 points. Points are 1/image_shape
/// cycles/pixel apart. For fully sampled Cartesian data the largest such distance is 0.71, for interleaves at
/// twice the distance that the field of view requires it is 1.0. trajectory [samples, dims] in cycles/pixel.
Index sampled_centre(View<const double> trajectory, const Shape& image_shape, Index most, Context& ctx);

/// Amplitude, relative to the object, of the strongest copy of the object that the sampling of the centre
/// produces at a distance of at least an eighth of the field of view: max |Σ exp(2πi k·x)| over displacements
/// x, for the samples within `size` points across, relative to their number. It is 1 for samples on a lattice
/// with holes, such as every second line: then no data can distinguish the copy from the object. factors
/// [samples], if given: the quotient of the factors of two bands; then the amplitude is that of one band's
/// copy in the other. trajectory [samples, dims] in cycles/pixel.
double strongest_copy(View<const double> trajectory, const Shape& image_shape, Index size, Context& ctx,
                      View<const std::complex<double>> factors = {});

/// The fraction of the energy of samples [coils, samples] that no image with the maps [coils, (z,) y, x]
/// explains: min over images of ‖y − E m x‖²/‖y‖², by ten conjugate gradient iterations on a grid of `size`
/// points across the smallest axis, without the samples beyond it. Maps of another object, or of an aliased
/// one, explain less; noise adds the same share for all maps.
double unexplained_energy(View<const double> trajectory, View<const std::complex<float>> samples,
                          View<const std::complex<float>> maps, Index size, Context& ctx);

/// The fraction of the energy at a point of the centre that is noise, for a centre of `size` points across
/// and samples [coils, samples] with noise of unit variance; a point's noise is averaged over the samples
/// near it. trajectory [samples, dims] in cycles/pixel.
double noise_of_a_point(View<const double> trajectory, View<const std::complex<float>> samples,
                        const Shape& image_shape, Index size);

}  // namespace larmor
