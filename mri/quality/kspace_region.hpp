#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <cstdint>
#include <vector>

namespace LARMOR_API larmor {

// Region of k-space in which an image is judged. Parts that a trajectory never reached are not an error of
// the reconstruction: a perfect image of a ball of k-space differs from the object by its corners.

/// Points of the image's own k-space [(z,) y, x], k = (index − ⌊N/2⌋)/N cycles/pixel along every axis: 1
/// inside |k| ≤ 0.5, otherwise 0. A ball in 3D, a disc in 2D.
Array<float> ball_of_kspace(const Shape& image_shape);

/// The same for the convex hull of a trajectory [samples, dims] in cycles/pixel of the image: a disc for
/// radial and spiral scans, a cylinder for stacks, a rectangle for Cartesian ones. Computed as the
/// intersection of half-spaces of a few hundred directions, including the axes. With partners that of the
/// samples of all ranks. Throws Error (input) for a trajectory of other dimensions than the image, without
/// samples or with values that are not finite.
Array<float> hull_of_kspace(View<const double> trajectory, const Shape& image_shape, Context& ctx,
                            Communicator* partners = nullptr);

/// The fraction of these points without a sample of a trajectory [samples, dims] (cycles/pixel) within half a
/// cell along every axis; k-space is periodic. The data do not determine these points. Throws Error (input)
/// for a trajectory of other dimensions than the image.
double part_not_sampled(View<const double> trajectory, const Shape& image_shape, Context& ctx);

/// The fraction of the sampled points k, in the same sense, for which -k is not sampled: 0 for full spokes
/// and lines, most of it for half echoes and partial Fourier. Throws as part_not_sampled().
double part_on_one_side(View<const double> trajectory, const Shape& image_shape, Context& ctx);

/// 1 for each sample of a trajectory that a scan of half the resolution, sampled in the same way, would lack
/// on one side: at |k| < 1/4 along every axis, 2k is not sampled in the sense of part_not_sampled(), but -2k
/// is. Otherwise 0. Throws as part_not_sampled().
std::vector<std::uint8_t> lacking_at_half_resolution(View<const double> trajectory, const Shape& image_shape,
                                                     Context& ctx);

/// Images [..., (z,) y, x] restricted to the k-space where `region` [(z,) y, x] is not zero.
Array<std::complex<float>> inside_of_kspace(View<const std::complex<float>> images, View<const float> region,
                                            Context& ctx);

}  // namespace larmor
