#pragma once

#include <larmor/core/context.hpp>

#include <complex>

namespace larmor {

/// Points of k-space along every axis from which maps are usually estimated.
Index usual_nlinv_size(int dims);

struct NlinvOptions {
  /// Points of k-space along every axis of `fov_pixels` from which the maps are estimated; 0: the usual
  /// number.
  Index size = 0;
  /// Field of view in pixels that these points refer to; 0: the image.
  double fov_pixels = 0;
  int newton_steps = 0;  ///< maximum number of Newton steps; 0: 16 if the noise is known, otherwise 8
  /// Noise variance of a sample (of real and imaginary part together): steps end if no more than that is left
  /// and another step gains less than a fiftieth of it, so that coils do not explain noise (discrepancy
  /// principle). 0: not known.
  double noise_variance = 0;
  double alpha = 1, reduction = 0.5;  ///< weight of the regularisation, and its factor from step to step
  /// The Fourier coefficients of coils are weighted with (1 + smoothness |k|²)^power, |k| ≤ 0.5 along each
  /// axis of at least 64 pixels; with fewer, k is what it would be with 64.
  double smoothness = 220, power = 16;
  /// Conjugate gradient iterations of a Newton step at most; each ends when its gradient has fallen to a
  /// hundredth.
  Index iterations = 60;
  /// Maps are zero where the signal is below this fraction of its maximum.
  double crop = 0.005;
};

/// Memory that nlinv_maps() uses at its peak, for this number of samples at the centre of k-space and one
/// band.
std::size_t nlinv_bytes(const Shape& image_shape, Index samples, Index coils, const NlinvOptions& options,
                        Context& ctx);

/// Image and coils together from samples [coils, samples] of any trajectory [samples, dims] (cycles/pixel of
/// image_shape): regularised non-linear inversion (Uecker et al. 2008) by iteratively regularised
/// Gauss-Newton steps on the centre of k-space. Needs no fully sampled centre and no gridding. Result [coils,
/// image_shape], normalised to root-sum-of-squares 1 (0 without signal), with the phase convention of
/// coil_maps.hpp. bands [samples, bands]: factors of slices that were excited together; image and coils of
/// each are found, and the result has the bands in front of the coils. Works on the context's device. Throws
/// Error (input) when no samples lie at the centre or all are zero.
Array<std::complex<float>> nlinv_maps(View<const double> trajectory, View<const std::complex<float>> samples,
                                      const Shape& image_shape, const NlinvOptions& options, Context& ctx,
                                      View<const std::complex<double>> bands = {});

}  // namespace larmor
