#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <vector>

namespace LARMOR_API larmor {

/// Off-resonance in Hz, [(z,) y, x], from images of one object at two or more echo times, whose phase is
/// −2πf·t plus a common part. echoes: [echoes, (z,) y, x]; times: of each in seconds, in any order, all
/// different. The phase between the first two in time is unwrapped in space, from bright voxels to dark ones;
/// the map is then the smooth one closest to it, weighted by the voxels' precision (Funai & Fessler 2008,
/// with a quadratic measure): details shorter than 8 voxels are removed. Each further echo is unwrapped
/// around that map and increases the precision. Frequencies are known up to a multiple of 1/(the first two
/// times' distance); the weighted median is assumed to be nearest to 0. Throws Error: usage for numbers of
/// times that do not fit, input for echoes that are zero everywhere.
Array<float> field_of_echoes(View<const std::complex<float>> echoes, const std::vector<double>& times,
                             Context& ctx);

}  // namespace larmor
