#pragma once

#include <larmor/core/array.hpp>

#include <complex>

namespace larmor::app {

/// Differences of an image from a reference; both [..., y, x] of one shape.
struct Comparison {
  double nrmse = 0;                ///< min over complex c of ‖c a − b‖/‖b‖
  double nrmse_plain = 0;          ///< ‖a − b‖/‖b‖
  std::complex<double> scale = 1;  ///< the c of nrmse
  double psnr = 0;                 ///< dB, of magnitudes after |c|: 20 log10(max|b| / rms difference)
  double ssim = 0;                 ///< mean structural similarity of magnitudes after |c|
  double max_error = 0;            ///< max |a − b|
  Index pixels = 0;                ///< number of compared pixels
};

/// mask [..., y, x] or empty (everything): pixels with a mask of 0 are excluded. Throws Error (input) if no
/// pixel is left, or if the reference is zero there. Structural similarity after Wang et al. 2004: Gaussian
/// window of 11×11 with σ = 1.5 in every x-y plane, K1 = 0.01, K2 = 0.03, dynamic range max|b|; windows are
/// cut at the edges.
Comparison compare_images(View<const std::complex<float>> a, View<const std::complex<float>> b,
                          View<const float> mask);

}  // namespace larmor::app
