#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/operators/coil_maps.hpp>

#include <vector>

namespace LARMOR_API larmor {

// A smaller problem that behaves as a large one: of a field of view smaller by a factor along each axis,
// whose cells of k-space are larger, with so many fewer samples that a cell has as many as before. Power
// spectrum, noise and undersampling stay, and with them what is best to do and how fast iterations converge.

/// Axes of more pixels than this are thinned, to not fewer.
inline constexpr Index thinned_axis = 32;

/// The largest power of two that leaves every axis `thinned_axis` pixels; 1 for images of less than 2²⁰.
Index thinning_factor(const Shape& pixels);

/// One of factor² readouts, and of these one of `factor` samples: for trajectories of three dimensions whose
/// readouts are like each other, such as kooshballs.
std::vector<PreparedImage> thinned(const std::vector<PreparedImage>& frames, Index factor);

/// Whether the readouts are alike: each goes through as much of every axis, on average, as along the others.
bool can_be_thinned(const PreparedImage& frame);

/// The image's pixels, and one of `factor` values of the maps along each axis, about the centre. Where the
/// maps are.
Shape thinned(const Shape& pixels, Index factor);
template <typename T>
CoilMaps<T> thinned(const CoilMaps<T>& maps, Index factor, Context& ctx);

}  // namespace larmor
