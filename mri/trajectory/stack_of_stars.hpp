#pragma once

#include <larmor/core/context.hpp>

#include <complex>
#include <optional>
#include <vector>

namespace larmor {

/// A three-dimensional trajectory that is the same two-dimensional one on every plane kz = p/N_z of a fully
/// sampled Cartesian axis (stack of stars, of spirals). Its transform is a unitary discrete Fourier transform
/// along z after two-dimensional transforms of the slices, so that the inverse transform of the samples along
/// kz leaves one problem for each slice: least squares, and every normal operator, are the same.
struct SliceStack {
  Array<double> trajectory;  ///< [points, 2], cycles/pixel, of each plane
  Array<double> density;     ///< [points]; empty: 1
  Index slices = 0;
  std::vector<Index> sample;  ///< [slices][points]: the sample on the plane p = index − ⌊slices/2⌋ at a point
  Index points() const { return trajectory.shape()[0]; }
};

/// The stack of a trajectory [samples, 3] (columns x, y, z) for an image [z, y, x]; nothing if it is no
/// stack: planes that are missing, off the grid of kz, or sampled at other points or with other density than
/// the rest.
std::optional<SliceStack> find_slice_stack(View<const double> trajectory, View<const double> density,
                                           const Shape& image_shape);

/// Samples [coils, samples] transformed along kz to the slices: [slices, coils, points], unitary, in the
/// order of the image's slices. Host memory.
Array<std::complex<float>> slice_samples(const SliceStack& stack, View<const std::complex<float>> samples,
                                         Context& ctx);

/// The slices of coil maps [coils, z, y, x]: [z, coils, y, x]. Host memory.
template <typename T>
Array<std::complex<T>> slice_maps(View<const std::complex<T>> maps);

}  // namespace larmor
