#pragma once

#include <larmor/core/context.hpp>

#include <array>
#include <complex>
#include <vector>

namespace larmor {

/// What a point becomes when it is sampled and gridded.
struct PointSpread {
  /// Σ d_j exp(2πi k_j·x) / Σ d_j on the pixels x of the image, the peak of 1 at voxel ⌊N/2⌋.
  Array<std::complex<float>> image;
  /// Full width at half maximum of |PSF| along each axis x, y(, z), pixels, from exact sums between pixels.
  std::vector<double> fwhm;
  double side_lobe = 0;         ///< largest |PSF| outside of the main lobe
  std::array<Index, 3> at{};    ///< where that is: x, y, z in pixels from the peak
  double side_lobe_energy = 0;  ///< Σ|PSF|² outside of the main lobe over that of all pixels
  double efficiency = 0;  ///< Σd / √(M Σd²) ≤ 1: signal-to-noise of gridding against equal weights
};

/// Of samples at trajectory [samples, dims] (cycles/pixel) with density weights [samples] (empty: 1) on an
/// image of image_shape. The main lobe is the ellipsoid whose semi-axes reach to the first minimum of |PSF|
/// along each axis.
PointSpread point_spread(View<const double> trajectory, View<const double> density, const Shape& image_shape,
                         double nufft_tolerance, Context& ctx);

}  // namespace larmor
