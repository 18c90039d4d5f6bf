#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <array>
#include <complex>

namespace LARMOR_API larmor {

/// Region of k-space from which coil maps are estimated.
struct CalibrationOptions {
  /// Points along every axis, at most those of the image.
  Index size = 24;
  /// Field of view along each axis of the image, in pixels, that the points at least support: neighbours are
  /// at most 1/fov_pixels cycles/pixel apart. Give the extents of the reconstructed image if the image of the
  /// maps is larger. 0: the extent of the image.
  std::array<double, 3> fov_pixels{};
  /// Conjugate gradient iterations of the least-squares fit; stopping early regularises unsampled parts.
  Index iterations = 20;
};

/// Cartesian k-space around the centre, [coils, (z,) y, x]: index ⌊n/2⌋ is k = 0, neighbours along axis a are
/// 1/fov[a] cycles/pixel apart (axes as in the shape, without coils); in the units of the plain sum.
struct CalibrationRegion {
  Array<std::complex<float>> kspace;
  std::array<double, 3> fov{};
};

/// Fits the centre of k-space to samples [coils, samples] of any trajectory [samples, dims] (cycles/pixel of
/// `image_shape`): a low-resolution image of the whole field of view is found by least squares, cut to the
/// field of view that holds the object (not below options.fov_pixels), and transformed. With a tight field of
/// view few points and small kernels describe the maps. Throws Error (input) if too few samples are at the
/// centre.
CalibrationRegion calibration_region(View<const double> trajectory, View<const std::complex<float>> samples,
                                     const Shape& image_shape, const CalibrationOptions& options,
                                     Context& ctx);

/// Approximate peak memory for this many central samples of each coil, without the arguments: it is solved in
/// double precision.
std::size_t calibration_region_bytes(const Shape& image_shape, Index samples, Index coils,
                                     const CalibrationOptions& options, Context& ctx);

/// Device for a part of calibration that takes this many bytes, a fit of the centre or maps of all pixels:
/// the host if they exceed a quarter of the device's limit.
Placement calibration_placement(std::size_t bytes, const Context& ctx);

/// Low-resolution coil images [coils, image_shape] of a calibration region, tapered with a Hann window; zero
/// outside its field of view.
Array<std::complex<float>> low_resolution_images(const CalibrationRegion& calibration,
                                                 const Shape& image_shape, Context& ctx);

}  // namespace larmor
