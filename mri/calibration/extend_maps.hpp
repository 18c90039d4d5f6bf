#pragma once

#include <larmor/core/context.hpp>

#include <complex>

namespace larmor {

/// Extends coil maps [coils, (z,) y, x] in the middle of the larger grid by `estimated`, which covers it.
/// Estimates have another phase and size in every pixel: each is multiplied by the complex factor that brings
/// it nearest to the given maps around the nearest pixel that has some, averaged over seven pixels. If
/// nothing was estimated, the nearest given values are used.
Array<std::complex<float>> extended_maps(View<const std::complex<float>> maps,
                                         View<const std::complex<float>> estimated, Context& ctx);

/// True if coil maps [coils, (z,) y, x] are zero all along the border of their grid: the object ends inside.
bool zero_at_border(View<const std::complex<float>> maps);

/// The fraction of the energy of coil images outside the middle `small` of `large`, from the central samples
/// [coils, samples] at trajectory [samples, dims] (cycles/pixel): of a low-resolution image, by conjugate
/// gradients, with this many points along the smallest axis of `small`. Energy within one point of the border
/// does not count as outside.
double energy_beyond(View<const double> trajectory, View<const std::complex<float>> samples,
                     const Shape& large, const Shape& small, Index points, Context& ctx);

}  // namespace larmor
