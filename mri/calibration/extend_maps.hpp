#pragma once

#include <larmor/core/context.hpp>

#include <complex>

namespace larmor {

/// Coil maps [coils, (z,) y, x] in the middle of the larger grid of `estimated`, which is taken beyond them.
/// Estimates have another phase and size in every pixel: each is multiplied with the complex factor that
/// brings it nearest to the given maps around the nearest pixel that has some, seven pixels across on
/// average. Where nothing was estimated at all, the given maps' nearest values go on.
Array<std::complex<float>> extended_maps(View<const std::complex<float>> maps,
                                         View<const std::complex<float>> estimated, Context& ctx);

/// Whether coil maps [coils, (z,) y, x] are zero all along the border of their grid: the object ends within.
bool zero_at_border(View<const std::complex<float>> maps);

/// The part of the energy of coil images that lies outside of the middle `small` of `large`, of the central
/// samples [coils, samples] at trajectory [samples, dims] (cycles/pixel): of a low-resolution image, by
/// conjugate gradients, of so many points to the smallest axis of `small`. What lies within a point of the
/// border does not count as outside.
double energy_beyond(View<const double> trajectory, View<const std::complex<float>> samples,
                     const Shape& large, const Shape& small, Index points, Context& ctx);

}  // namespace larmor
