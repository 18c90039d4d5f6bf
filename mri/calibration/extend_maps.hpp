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

}  // namespace larmor
