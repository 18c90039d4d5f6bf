#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <array>
#include <complex>

namespace LARMOR_API larmor {

/// Which part of k-space coil maps are estimated from.
struct CalibrationOptions {
  /// Points along every axis, at most what the image has.
  Index size = 24;
  /// Field of view, in pixels, that the points at least support: neighbours are at most 1/fov_pixels
  /// cycles/pixel apart. Give the extent of the reconstructed image when the image of the maps is larger. 0:
  /// the extent of each axis of the image.
  double fov_pixels = 0;
  /// Conjugate gradient iterations of the least-squares fit; stopping early regularises what was not sampled.
  Index iterations = 20;
};

/// Cartesian k-space around the centre, [coils, (z,) y, x]: index ⌊n/2⌋ is k = 0, neighbours along axis a are
/// 1/fov[a] cycles/pixel apart (axes as in the shape, coils left out); in the units of the plain sum.
struct CalibrationRegion {
  Array<std::complex<float>> kspace;
  std::array<double, 3> fov{};
};

/// Fits the centre of k-space to samples [coils, samples] of any trajectory [samples, dims] (cycles/pixel of
/// `image_shape`): a low-resolution image of the whole field of view is solved for by least squares, cut to
/// the field of view that holds the object (not below options.fov_pixels), and transformed. A tight field of
/// view lets few points and small kernels describe the maps. Throws Error (input) when too few samples lie at
/// the centre.
CalibrationRegion calibration_region(View<const double> trajectory, View<const std::complex<float>> samples,
                                     const Shape& image_shape, const CalibrationOptions& options,
                                     Context& ctx);

/// How ESPIRiT estimates coil maps.
struct EspiritOptions {
  /// Kernel extent along every axis; 0: 6 in 2D and 4 in 3D, smaller for very many coils.
  Index kernel = 0;
  /// Singular values s of the calibration matrix are weighted with s²/(s² + t²), t this fraction of the
  /// largest.
  double threshold = 0.02;
  /// Maps are zero where the eigenvalue is below this: no signal, or none that the kernels explain.
  double crop = 0.65;
  /// Map sets: eigenvectors of the largest eigenvalues of every pixel, for objects that fold over within the
  /// field of view or calibration data that a single set cannot explain.
  Index sets = 1;
};

// Phase convention of estimated maps: the phase of the first principal component of the channels is zero, so
// that images have the phase of that virtual coil. Magnitude: root-sum-of-squares 1 where there is signal,
// else 0.

/// ESPIRiT coil maps (Uecker et al. 2014). Result [coils, image_shape], [sets, coils, image_shape] for more
/// than one set, zero outside of the region's field of view and where a set's eigenvalue is below the crop.
/// Memory beside the result: the Gram matrix of the calibration's windows (rows: coils · points of the
/// kernel, at most about 1600), and for each thread one row of pixels; neither an image of the pixels'
/// matrices nor the calibration matrix is made. Several sets are computed on the CPU. Throws Error: usage
/// when the kernel does not fit in the calibration region or there are more sets than coils, input when that
/// is all zero.
Array<std::complex<float>> espirit_maps(const CalibrationRegion& calibration, const Shape& image_shape,
                                        const EspiritOptions& options, Context& ctx);

/// Where espirit_maps() of one set has its result while it works on a CUDA device: in the host's memory when
/// it would take more than a quarter of the context's limit.
Placement espirit_placement(std::size_t bytes, const Context& ctx);

/// How the adaptive combination estimates coil maps.
struct WalshOptions {
  /// Pixels on either side that are averaged in the local channel covariance.
  Index radius = 3;
  /// Maps are zero where the local signal is below this fraction of its maximum.
  double crop = 0.01;
};

/// Coil maps by the local channel covariance of coil images [coils, (z,) y, x] (Walsh et al. 2000).
Array<std::complex<float>> walsh_maps(View<const std::complex<float>> coil_images,
                                      const WalshOptions& options, Context& ctx);

/// Low-resolution coil images [coils, image_shape] of a calibration region, tapered with a Hann window; zero
/// outside of its field of view.
Array<std::complex<float>> low_resolution_images(const CalibrationRegion& calibration,
                                                 const Shape& image_shape, Context& ctx);

/// Takes maps of whitened (and compressed) channels [virtual, …] to the original channels and normalises them
/// there to root-sum-of-squares 1 (0 where the maps are 0). `inverse` [channels, virtual] is W⁻¹Bᴴ for the
/// whitening W and the compression B (W⁻¹ without compression). This is what maps files hold.
Array<std::complex<float>> original_channel_maps(View<const std::complex<float>> maps,
                                                 View<const std::complex<double>> inverse, Context& ctx);

/// The same, brought back to the channels of the data with `matrix` [virtual, channels] = B W: what the coil
/// model of whitened data multiplies with, so that images carry no shading from the noise covariance.
Array<std::complex<float>> renormalised_maps(View<const std::complex<float>> maps,
                                             View<const std::complex<double>> matrix,
                                             View<const std::complex<double>> inverse, Context& ctx);

}  // namespace larmor
