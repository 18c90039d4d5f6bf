#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

namespace LARMOR_API larmor {

/// Adds the motion of PrepareOptions::motion_shots shots to the options, estimated from the data
/// (ReadingOptions::motion). The image and the motion are found in turns, the image by conjugate gradients
/// for the motion so far, the motion by a Gauss-Newton step of each shot on the misfit of its samples (as in
/// Cordero-Grande et al. 2016); first at an eighth of the resolution, then at a quarter and at half. Coil
/// maps are estimated from the data at each resolution. Motion of the whole scan is not known: it is given
/// relative to the mean of the shots. Reports the result. Throws Error as require_motion() and
/// maps_of_slice().
PrepareOptions with_estimated_motion(const Scan& scan, PrepareOptions options, const CoilOptions& coils,
                                     Context& ctx);

}  // namespace larmor
