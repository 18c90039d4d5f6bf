#pragma once

#include <larmor/core/context.hpp>

#include <complex>

namespace larmor {

struct CalibrationOptions {
  /// Extent of the calibration region along every axis, in steps of 1/calibration_fov cycles/pixel.
  Index size = 24;
  /// Field of view, in pixels, that `size` refers to; 0: the smallest extent of the image. Give the extent of
  /// the reconstructed image when the image of the maps is larger, so that the region reaches equally far in
  /// k-space.
  double fov_pixels = 0;
  /// Conjugate gradient iterations of the least-squares fit.
  Index iterations = 12;
};

/// Cartesian k-space around the centre, fitted to samples [coils, samples] of any trajectory [samples, dims]
/// (cycles/pixel of `image_shape`): a low-resolution image on the field of view of `image_shape` is solved
/// for with density-weighted conjugate gradients and transformed. The result [coils, (z,) y, x] is centred:
/// index ⌊n/2⌋ is k = 0, and neighbours are 1/image_shape cycles/pixel apart; in the units of the plain sum.
/// Throws Error (input) when the trajectory does not visit the centre.
Array<std::complex<float>> calibration_region(View<const double> trajectory,
                                              View<const std::complex<float>> samples,
                                              const Shape& image_shape, const CalibrationOptions& options,
                                              Context& ctx);

struct EspiritOptions {
  /// Kernel extent along every axis; 0: 6 in 2D and 5 in 3D.
  Index kernel = 0;
  /// Singular values of the calibration matrix below this fraction of the largest count as noise.
  double threshold = 0.01;
  /// Maps are zero where the eigenvalue is below this: no signal, or none that the kernels explain.
  double crop = 0.5;
};

// Phase convention of estimated maps: the phase of the first principal component of the channels is zero, so
// that images have the phase of that virtual coil. Magnitude: root-sum-of-squares 1 where there is signal,
// else 0.

/// ESPIRiT coil maps (Uecker et al. 2014), one set, from centred Cartesian k-space `calibration` [coils, (z,)
/// y, x] whose neighbours are 1/image_shape cycles/pixel apart. Result [coils, image_shape]. Throws Error
/// (usage) when the kernel does not fit in the calibration region, Error (input) when it is all zero.
Array<std::complex<float>> espirit_maps(View<const std::complex<float>> calibration, const Shape& image_shape,
                                        const EspiritOptions& options, Context& ctx);

struct WalshOptions {
  /// Pixels on either side that are averaged in the local channel covariance.
  Index radius = 3;
  /// Maps are zero where the local signal is below this fraction of its maximum.
  double crop = 0.01;
};

/// Coil maps by the local channel covariance of coil images [coils, (z,) y, x] (Walsh et al. 2000).
Array<std::complex<float>> walsh_maps(View<const std::complex<float>> coil_images,
                                      const WalshOptions& options, Context& ctx);

/// Low-resolution coil images [coils, image_shape] of a calibration region, tapered with a Hann window.
Array<std::complex<float>> low_resolution_images(View<const std::complex<float>> calibration,
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
