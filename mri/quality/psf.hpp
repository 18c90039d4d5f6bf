#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>
#include <larmor/core/math/sparse_pattern.hpp>

#include <array>
#include <complex>
#include <vector>

namespace LARMOR_API larmor {

/// The point-spread function of sampling and gridding.
struct PointSpread {
  /// Σ d_j exp(2πi k_j·x) / Σ d_j on the pixels x of the image, the peak of 1 at voxel ⌊N/2⌋; empty if not
  /// requested.
  Array<std::complex<float>> image;
  /// Full width at half maximum of |PSF| along each axis x, y(, z), pixels, from exact sums between pixels.
  std::vector<double> fwhm;
  double side_lobe = 0;         ///< largest |PSF| outside the main lobe
  std::array<Index, 3> at{};    ///< its position: x, y, z in pixels from the peak
  double side_lobe_energy = 0;  ///< Σ|PSF|² outside the main lobe over that of all pixels
  double efficiency = 0;  ///< Σd / √(M Σd²) ≤ 1: signal-to-noise of gridding against equal weights
};

/// For samples at trajectory [samples, dims] (cycles/pixel) with density weights [samples] (empty: 1) on an
/// image of image_shape. The main lobe is the ellipsoid whose semi-axes reach to the first minimum of |PSF|
/// along each axis.
PointSpread point_spread(View<const double> trajectory, View<const double> density, const Shape& image_shape,
                         double nufft_tolerance, Context& ctx);

/// The same for Cartesian samples (y, x) of equal weight: entries (row, column) of a pattern stand for k =
/// ((column − ⌊C/2⌋)/C, (row − ⌊R/2⌋)/R). By a sparse transform in tiles of rows, so that the pattern may
/// have any size if the image is not requested. Values of the pattern are ignored.
PointSpread point_spread(const SparsePattern& pattern, bool with_image, Context& ctx);

/// The samples of a Cartesian scan, without noise and navigators: phase encodings (kspace_encode_step_2,
/// step_1) of a three-dimensional encoding, otherwise the lines of kspace_encode_step_1 with all their
/// columns. Throws Error (input) for a scan that is not Cartesian, and for steps outside the encoded matrix.
SparsePattern cartesian_sampling(const Scan& scan);

}  // namespace larmor
