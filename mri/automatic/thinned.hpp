#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/options/report.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/operators/coil_maps.hpp>

#include <vector>

namespace LARMOR_API larmor {

// A smaller problem that behaves as a large one: of a field of view smaller by a factor along each axis,
// whose cells of k-space are larger, with so many fewer samples that a cell has as many as before. Power
// spectrum, noise and undersampling stay, and with them what is best to do and how fast iterations converge.

/// How much smaller: the largest power of two that leaves every axis 32 pixels in three dimensions, for
/// images of 2²⁰ or more, and 128 in two; 1: not at all. Readouts must be alike, so that some of them are a
/// scan of their own: in three dimensions each goes through as much of every axis, on average, as along the
/// others (kooshballs), in two they are straight, and 16 times as many as the factor.
Index thinning_factor(const PreparedImage& frame, const Shape& pixels);

/// One of factor² readouts in three dimensions, in two one of `factor` by their angle, and of these one of
/// `factor` samples.
std::vector<PreparedImage> thinned(const std::vector<PreparedImage>& frames, Index factor);

/// What was found for a part of a problem without density weights, for the whole of it, whose operator has
/// this largest eigenvalue: Tikhonov's weight relative to the samples of a cell stays, and iterations follow
/// a power of the condition number, those of volumes (dims: 3) also one of the part's.
void carry_over(AutomaticCandidate& found, double largest_eigenvalue, int dims);

/// The image's pixels, and one of `factor` values of the maps along each axis, about the centre. Where the
/// maps are.
Shape thinned(const Shape& pixels, Index factor);
template <typename T>
CoilMaps<T> thinned(const CoilMaps<T>& maps, Index factor, Context& ctx);

}  // namespace larmor
