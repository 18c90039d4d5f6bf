#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <complex>

namespace LARMOR_API larmor {

// Which part of k-space an image is judged in. What a trajectory never reached is no fault of a
// reconstruction: a perfect image of a ball of k-space differs from the object by its corners alone.

/// Points of the image's own k-space [(z,) y, x], k = (index − ⌊N/2⌋)/N cycles/pixel along every axis: 1
/// inside |k| ≤ 0.5, else 0. A ball in 3D, a disc in 2D.
Array<float> ball_of_kspace(const Shape& image_shape);

/// The same for the convex hull of a trajectory [samples, dims] in cycles/pixel of the image: a disc for
/// radial and spiral scans, a cylinder for stacks, a rectangle for Cartesian ones. As the intersection of
/// half-spaces of a few hundred directions, the axes among them. With partners that of all their samples.
/// Throws Error (input) for a trajectory of other dimensions than the image, without samples or with values
/// that are not finite.
Array<float> hull_of_kspace(View<const double> trajectory, const Shape& image_shape, Context& ctx,
                            Communicator* partners = nullptr);

/// The part of these points that have no sample of a trajectory [samples, dims] (cycles/pixel) nearer than
/// half a cell along every axis; k-space goes on periodically. What lies there no data tell of. Throws Error
/// (input) for a trajectory of other dimensions than the image.
double part_not_sampled(View<const double> trajectory, const Shape& image_shape, Context& ctx);

/// The part of the sampled points k, in the same sense, of which -k is not: 0 for full spokes and lines, most
/// of it for half echoes and partial Fourier. Throws as part_not_sampled().
double part_on_one_side(View<const double> trajectory, const Shape& image_shape, Context& ctx);

/// Images [..., (z,) y, x] of what their k-space holds where `region` [(z,) y, x] is not zero.
Array<std::complex<float>> inside_of_kspace(View<const std::complex<float>> images, View<const float> region,
                                            Context& ctx);

}  // namespace larmor
